import type { z } from 'zod';
import { HaltlineError } from '../../shared/errors.ts';

/**
 * For an attack's `render`: a file name that is still a name would be silently ignored otherwise.
 *
 * @throws HaltlineError SPEC_INVALID
 */
export function refuseUnloaded(attack: string, file: string | undefined): void {
  if (file === undefined) return;
  throw new HaltlineError('SPEC_INVALID', `${attack}: the file ${file} was not loaded before rendering`);
}

/** For an attack's schema: what a file would be read into may not stand beside it, since one of the two would be lost. */
export function refuseBoth(
  parameters: Readonly<Record<string, unknown>>,
  [file, inline]: readonly [file: string, inline: string],
  context: Pick<z.core.$RefinementCtx, 'addIssue'>,
): void {
  const given = parameters[inline];
  const isEmpty = given === undefined || (typeof given === 'object' && Object.keys(given ?? {}).length === 0);
  if (parameters[file] === undefined || isEmpty) return;
  const message = `expected it without ${inline} beside it`;
  context.addIssue({ code: 'custom', path: [file], input: parameters[file], message });
}
