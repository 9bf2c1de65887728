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
