import type { Logger } from 'pino';
import { readSecret } from '../../../shared/config.ts';
import { openGate, type RequestGate } from '../../../shared/llm/request-gate.ts';
import type { StreamTarget } from '../../../shared/llm/target-client.ts';
import type { VerdictForm } from '../../../shared/llm/verdict/verdict-reply.ts';
import type { ModelMonitorSpec } from '../../../shared/schemas/sweep-spec.ts';
import type { ModelTools } from './model-monitor.ts';
import { formatFields, type KnownFormats, type ReplyFormat } from './reply-format.ts';

/** Where a monitor's model is asked, and how: the same for all its chains. */
export interface ModelEndpoint {
  readonly spec: ModelMonitorSpec;
  /** Under what `formats` knows the endpoint. */
  readonly name: string;
  readonly form: VerdictForm;
  readonly formats: KnownFormats;
  /** Each request waits for its turn here; the wait is part of the judgement. */
  readonly gate: RequestGate;
  /** What a request that asks for a format goes to. */
  readonly targets: Readonly<Record<ReplyFormat, StreamTarget>>;
  readonly log: Logger;
}

/**
 * Reads the key, which from then on stays in the process's memory: it is in no job and no log.
 *
 * @throws HaltlineError when the variable that the spec names is not set
 */
export function createEndpoint(spec: ModelMonitorSpec, form: VerdictForm, tools: ModelTools): ModelEndpoint {
  const { config, timeouts } = spec;
  const { apiBaseUrl, apiKeyEnv, model, api } = config;
  const apiKey = apiKeyEnv === undefined ? undefined : readSecret(tools.env, apiKeyEnv);
  // Content arrives as the model wrote it, think tags and all: taking it apart is the parse ladder's business.
  const targetOf = (format: ReplyFormat): StreamTarget => {
    const extraBody = { ...formatFields(format, form, api), ...config.extraBody };
    return { config: { ...config, extraBody }, think: 'off', harmony: false, timeouts, apiKey };
  };
  return {
    ...{ spec, form, formats: tools.formats, log: tools.log },
    name: JSON.stringify([apiBaseUrl, model, api]),
    gate: tools.limiter?.gate(config, spec.limits) ?? openGate,
    targets: {
      json_schema: targetOf('json_schema'),
      json_object: targetOf('json_object'),
      text: targetOf('text'),
    },
  };
}
