import { z } from 'zod';
import { type Fault, splitModelName } from './faults.ts';
import type { PromptMessage } from './read-prompt.ts';

const partSchema = z.object({ type: z.string(), text: z.string().optional() });
const messageSchema = z.object({
  role: z.string(),
  content: z.union([z.string(), z.array(partSchema), z.null()]),
});
const commonFields = {
  model: z.string().min(1),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  seed: z.int().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
};

/** The fields of a request that the simulator reads; others are taken and ignored, as servers do. */
export const chatBodySchema = z.object({ ...commonFields, messages: z.array(messageSchema).min(1) });
export const completionBodySchema = z.object({
  ...commonFields,
  prompt: z.string(),
  prompt_embeds: z.string().nullish(),
});

/** A request in one shape, whichever endpoint it came to. */
export interface SimulatorRequest {
  readonly endpoint: 'chat' | 'completions';
  /** Without the fault that may stand behind it. */
  readonly model: string;
  readonly namedFault: Fault | undefined;
  readonly messages: readonly PromptMessage[];
  readonly maxTokens: number | undefined;
  readonly seed: number | undefined;
  readonly stream: boolean;
  readonly includeUsage: boolean;
}

/**
 * @param embeddedPrompts - the text that each known value of `prompt_embeds` stands for; an unknown one says nothing
 * @throws ZodError that names what a body lacks
 */
export function parseRequest(
  endpoint: SimulatorRequest['endpoint'],
  body: unknown,
  embeddedPrompts: ReadonlyMap<string, string>,
): SimulatorRequest {
  if (endpoint === 'completions') {
    const parsed = completionBodySchema.parse(body);
    const embeds = parsed.prompt_embeds ?? undefined;
    const text = embeds === undefined ? parsed.prompt : (embeddedPrompts.get(embeds) ?? '');
    return { endpoint, ...readCommon(parsed), messages: [{ role: 'user', text }] };
  }
  const parsed = chatBodySchema.parse(body);
  return {
    endpoint,
    ...readCommon(parsed),
    messages: parsed.messages.map(({ role, content }) => ({ role, text: readContent(content) })),
  };
}

type CommonFields = Omit<z.infer<typeof chatBodySchema>, 'messages'>;

function readCommon(body: CommonFields): Omit<SimulatorRequest, 'endpoint' | 'messages'> {
  const { model, fault: namedFault } = splitModelName(body.model);
  return {
    model,
    namedFault,
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    seed: body.seed ?? undefined,
    stream: body.stream ?? false,
    includeUsage: body.stream_options?.include_usage ?? false,
  };
}

function readContent(content: z.infer<typeof messageSchema>['content']): string {
  if (content === null) return '';
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');
}
