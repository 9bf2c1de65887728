import type OpenAI from 'openai';
import type { TargetSpec } from '../schemas/sweep-spec.ts';

type TargetConfig = TargetSpec['config'];

/** What is asked of a target. Absent members are not sent: the server's default applies. */
export interface StreamRequest {
  readonly messages: readonly { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }[];
  /** In the place of the messages, on the completions API alone: input embeddings, base64 of a saved tensor. */
  readonly promptEmbeds?: string;
  /** Always sent: the only bound that holds when a server does not notice an abort. */
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
}

/** The body of a streamed chat completion. Vendor fields are added as they are, where they set nothing of ours. */
export function buildChatBody(
  config: TargetConfig,
  request: StreamRequest,
): OpenAI.ChatCompletionCreateParamsStreaming {
  const body: OpenAI.ChatCompletionCreateParamsStreaming = {
    model: config.model,
    messages: [...request.messages],
    ...commonFields(config, request),
  };
  return withVendorFields(body, config);
}

/** vLLM's key for input embeddings, which the SDK's types do not know. */
interface CompletionBody extends OpenAI.CompletionCreateParamsStreaming {
  prompt_embeds?: string;
}

/**
 * The body of a streamed plain completion: the prompt is the messages' contents, a blank line between them; or empty,
 * beside embeddings (a server would answer a text prompt too).
 */
export function buildCompletionBody(config: TargetConfig, request: StreamRequest): CompletionBody {
  const { promptEmbeds } = request;
  const body: CompletionBody = {
    model: config.model,
    ...(promptEmbeds === undefined
      ? { prompt: request.messages.map((message) => message.content).join('\n\n') }
      : { prompt: '', prompt_embeds: promptEmbeds }),
    ...commonFields(config, request),
  };
  return withVendorFields(body, config);
}

/** The body of a streamed Responses request. That API has no seed and no stop sequences. */
export function buildResponsesBody(
  config: TargetConfig,
  request: StreamRequest,
): OpenAI.Responses.ResponseCreateParamsStreaming {
  const body: OpenAI.Responses.ResponseCreateParamsStreaming = {
    model: config.model,
    input: [...request.messages],
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.topP === undefined ? {} : { top_p: request.topP }),
    max_output_tokens: request.maxTokens,
    stream: true,
  };
  return withVendorFields(body, config);
}

/** What the chat and the completions API share. */
function commonFields(config: TargetConfig, request: StreamRequest) {
  return {
    stream: true as const,
    stream_options: { include_usage: true },
    n: 1,
    [config.maxTokensField]: request.maxTokens,
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.topP === undefined ? {} : { top_p: request.topP }),
    ...(request.seed === undefined ? {} : { seed: request.seed }),
    ...(request.stop === undefined ? {} : { stop: [...request.stop] }),
  };
}

function withVendorFields<Body extends object>(body: Body, config: TargetConfig): Body {
  const vendorFields = Object.entries(config.extraBody).filter(([name]) => !(name in body));
  return Object.assign(body, Object.fromEntries(vendorFields));
}
