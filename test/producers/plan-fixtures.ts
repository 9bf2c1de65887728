import type { Attack, AttackCase, Span } from '../../producers/attacks/attack.ts';
import { createPlan, type Plan } from '../../producers/plan-sweep.ts';
import type { Question } from '../../shared/schemas/question.ts';
import { sweepSpecSchema, type SweepSpec } from '../../shared/schemas/sweep-spec.ts';

const span = (text: string, more: Partial<Span> = {}): Span => ({
  text,
  injected: false,
  part: 'query',
  ...more,
});

/** An attack that prefixes the question, counts its renders, and says what its clean form and control are. */
export function fakeAttack(
  name: string,
  options: { hasControl?: boolean; cleanText?: string; targetAnswer?: string } = {},
): Attack & { renders: number; seeds: string[] } {
  const attack: Attack & { renders: number; seeds: string[] } = {
    name,
    renders: 0,
    seeds: [],
    parametersSchema: sweepSpecSchema.shape.name,
    render(question, _parameters, seed): AttackCase {
      attack.renders += 1;
      attack.seeds.push(seed);
      const injected = span(`${name}! `, {
        injected: true,
        clean: options.cleanText ?? '',
        control: `${name}-control `,
      });
      return {
        messages: [{ role: 'user', spans: [injected, span(question.question)] }],
        hasControl: options.hasControl ?? false,
        asksForSteps: true,
        ...(options.targetAnswer === undefined ? {} : { targetAnswer: options.targetAnswer }),
      };
    },
  };
  return attack;
}

export function fakeQuestions(count: number): Question[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `q${String(index)}`,
    dataset: 'numbers',
    question: `What is ${String(index)} + 1?`,
    answer: String(index + 1),
  }));
}

export function fakeSpec(more: Record<string, unknown> = {}): SweepSpec {
  return sweepSpecSchema.parse({
    name: 'test',
    targets: [{ id: 'target-a', config: { apiBaseUrl: 'http://127.0.0.1:1/v1', model: 'm' } }],
    attacks: ['one'],
    datasets: ['numbers'],
    ...more,
  });
}

export function fakePlan(options: {
  spec?: SweepSpec;
  attacks?: readonly Attack[];
  questions?: readonly Question[];
  sweep?: string;
}): Plan {
  const attacks = options.attacks ?? [fakeAttack('one')];
  return createPlan({
    sweep: options.sweep ?? 'test-0',
    spec: options.spec ?? fakeSpec(),
    attacks: attacks.map((attack) => ({ id: attack.name, attack, parameters: {} })),
    datasets: [{ id: 'numbers', extractor: 'number', questions: options.questions ?? fakeQuestions(3) }],
    monitorVersions: { rules: '1' },
  });
}
