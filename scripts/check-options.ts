import type { z } from 'zod';
import { explainIssues } from '../producers/explain-issue.ts';
import { HaltlineError } from '../shared/errors.ts';

/** Holds the values of flags against a schema. @throws HaltlineError CONFIG_INVALID, one line */
export function checkOptions<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new HaltlineError('CONFIG_INVALID', explainIssues(parsed.error.issues, { value, schema, at: [] }));
}
