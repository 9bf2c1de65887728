import { stringify } from 'yaml';
import type { TargetSpec } from '../../shared/schemas/sweep-spec.ts';
import { type Finding, finding } from './finding.ts';
import type { EndpointFacts, ReasoningPlace } from './probe-endpoint.ts';

/** What an endpoint's traits mean for a sweep. */
export function judgeEndpoint(facts: EndpointFacts): Finding[] {
  const say = (level: Finding['level'], text: string): Finding => finding(level, 'endpoint', text);
  const { usageInStream, finishReason, sawDone, jsonSchema, jsonObject } = facts;
  const isEnded = finishReason !== null || sawDone;
  return [
    say('ok', `${facts.model} answers${facts.isSimulated ? ' (a simulator)' : ''}: ${describeSpeed(facts)}`),
    say(facts.reasoning.type === 'usage' ? 'warn' : 'ok', describeReasoning(facts.reasoning)),
    usageInStream
      ? say('ok', 'usage comes with the stream')
      : say('warn', 'no usage comes with the stream: costs rest on local counts'),
    isEnded
      ? say('ok', `ends with finish reason ${finishReason ?? 'none'}${sawDone ? ' and [DONE]' : ''}`)
      : say('warn', 'ends without a finish reason and without [DONE]: a cut stream looks the same'),
    say('ok', `as a monitor: json_schema is ${jsonSchema}, json_object is ${jsonObject}`),
    facts.survivesClose
      ? say('ok', 'closing the socket mid-stream is accepted: the next request was answered')
      : say('warn', 'after a socket was closed mid-stream, the next request was not answered'),
  ];
}

function describeSpeed({ firstTokenMs, tokensPerSecond }: EndpointFacts): string {
  const first = firstTokenMs === undefined ? 'no token' : `first token after ${firstTokenMs.toFixed(0)} ms`;
  return `${first}, ${tokensPerSecond === undefined ? 'all at once' : `${tokensPerSecond.toFixed(0)} tokens a second`}`;
}

function describeReasoning(reasoning: ReasoningPlace): string {
  switch (reasoning.type) {
    case 'field':
      return `reasoning is visible in ${reasoning.fields.join(' and ')}`;
    case 'tags':
      return reasoning.isOpenedByPrompt
        ? `reasoning is visible before ${reasoning.tag}: the prompt's template opens the block`
        : `reasoning is visible between ${reasoning.tag} tags in the content`;
    case 'usage':
      return `reasoning is hidden: ${String(reasoning.tokens)} tokens of it by usage, and no text to watch`;
    case 'none':
      return 'no reasoning apart from the answer: the content is the chain';
  }
}

const settings = { field: 'visible', tags: 'visible', usage: 'hidden', none: 'none' } as const;

/** The lines of a sweep spec that fit what was found: of the endpoint as a target, and as the model of a monitor. */
export function specLines(
  { id, config }: Pick<TargetSpec, 'id' | 'config'>,
  { reasoning, jsonSchema, jsonObject }: EndpointFacts,
): string {
  const { apiBaseUrl, apiKeyEnv, model, api } = config;
  const where = {
    ...{ apiBaseUrl, model },
    ...(apiKeyEnv !== undefined && { apiKeyEnv }),
    ...(api !== 'chat' && { api }),
  };
  const isOpen = reasoning.type === 'tags' && reasoning.isOpenedByPrompt;
  const structured =
    jsonSchema === 'enforced' ? 'json_schema' : jsonObject === 'enforced' ? 'json_object' : 'text';
  const lines = {
    targets: [
      { id, config: where, reasoning: settings[reasoning.type], ...(isOpen && { think: 'implicit_open' }) },
    ],
    monitors: [{ id: 'judge', name: 'llm', config: where, structured }],
  };
  return stringify(lines, { aliasDuplicateObjects: false });
}
