import { hashJson } from './hash.ts';
import type { GenerationJob } from './schemas/job.ts';

/** `messagesHash`: 32 hex digits over a run's prompt, that is its messages, and embeddings sent in their place. */
export function messagesHashOf({
  messages,
  promptEmbeds,
}: Pick<GenerationJob, 'messages' | 'promptEmbeds'>): string {
  return hashJson(promptEmbeds === undefined ? messages : { messages, promptEmbeds }).slice(0, 32);
}
