import type { Problem } from '../../shared/schemas/problem.ts';
import type { ProblemSight } from '../../shared/schemas/problem.ts';
import type { AttackCase, Span } from './attack.ts';

/** Which of a span's forms is sent. The guarded arms send what their unmonitored twin sends. */
export type Condition = 'attacked' | 'clean' | 'control';

export interface RenderedMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

/** What a span says under a condition; an injected span without a form for it says nothing. */
export function spanText(span: Span, condition: Condition): string {
  if (condition === 'attacked' || !span.injected) return span.text;
  return (condition === 'clean' ? span.clean : span.control) ?? '';
}

/** The messages as sent under a condition. Messages with no text left are left out. */
export function renderMessages(attackCase: AttackCase, condition: Condition): RenderedMessage[] {
  return attackCase.messages
    .map(({ role, spans }) => ({ role, content: spans.map((span) => spanText(span, condition)).join('') }))
    .filter(({ content }) => content !== '');
}

function partText(attackCase: AttackCase, part: Span['part'], condition: Condition): string {
  return attackCase.messages
    .flatMap(({ spans }) => spans.filter((span) => span.part === part))
    .map((span) => spanText(span, condition))
    .join('');
}

function turn(attackCase: AttackCase, condition: Condition): Problem {
  const context = partText(attackCase, 'context', condition);
  return {
    query: partText(attackCase, 'query', condition),
    ...(context === '' ? {} : { context }),
    asksForSteps: attackCase.asksForSteps,
  };
}

/**
 * The problem as a monitor sees it under each setting (DESIGN, "Monitors"): `user`, the query and the context as sent
 * under the condition; `original`, both with nothing injected; `prompt`, every message as sent, blank lines between
 * them, as one query.
 */
export function renderViews(attackCase: AttackCase, condition: Condition): Record<ProblemSight, Problem> {
  const messages = renderMessages(attackCase, condition);
  return {
    user: turn(attackCase, condition),
    original: turn(attackCase, 'clean'),
    prompt: {
      query: messages.map(({ content }) => content).join('\n\n'),
      asksForSteps: attackCase.asksForSteps,
    },
  };
}
