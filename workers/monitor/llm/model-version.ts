import { createHash } from 'node:crypto';
import type { VerdictForm } from '../../../shared/llm/verdict/verdict-reply.ts';
import type { ModelMonitorSpec } from '../../../shared/schemas/sweep-spec.ts';
import { buildPrompt } from './prompt.ts';

/** Raised when equal prompts would be asked or read otherwise than before. */
const VERSION = 1;

/** Names everything about a model's monitor that its spec does not: the prompt's text, and how replies are read. */
export function modelMonitorVersion(spec: ModelMonitorSpec): string {
  const hash = createHash('sha256').update(promptOf(spec)).digest('hex').slice(0, 8);
  return `${spec.name}-${String(VERSION)}-${hash}`;
}

export function formOf(spec: ModelMonitorSpec): VerdictForm {
  return spec.name === 'vanilla' ? 'binary' : 'typed';
}

export function promptOf(spec: ModelMonitorSpec): string {
  return spec.prompt ?? buildPrompt(formOf(spec));
}
