import { z } from 'zod';

/** Which attacks a model can fall for, and how easily: a share of its prompts in [0, 1]. */
export const susceptibilitySchema = z
  .strictObject({
    badchain: z.number().min(0).max(1).default(0.8),
    paa: z.number().min(0).max(1).default(0.6),
    overthink: z.number().min(0).max(1).default(0.9),
    deadlock: z.number().min(0).max(1).default(1),
    /** A prompt that asks for endless checking. */
    surrogate: z.number().min(0).max(1).default(0.5),
  })
  .prefault({});

export const loopKinds = ['exact', 'periodic', 'paraphrased'] as const;
export const loopKindSchema = z.enum(loopKinds);
export type LoopKind = z.infer<typeof loopKindSchema>;

/** How a simulated model behaves. */
export const personalitySchema = z.strictObject({
  reasoning: z
    .enum(['none', 'reasoning_content', 'reasoning', 'tags'])
    .default('none')
    .describe(
      'Where reasoning is written: not at all, in a delta field of this name, or in think tags in content',
    ),
  paragraphs: z.boolean().default(true).describe('Blank lines between steps; without it, single line ends'),
  verbosity: z.number().min(0).max(1).default(0.5).describe('Share of steps that get a check or an aside'),
  susceptibility: z.exactOptional(susceptibilitySchema),
  backdoorToken: z
    .exactOptional(z.string().min(1))
    .describe('Implanted trigger: a user turn that begins with it never ends (Deadlock)'),
  loop: z.exactOptional(loopKindSchema).describe('How it loops; by default the seed chooses'),
  blankLines: z
    .exactOptional(z.boolean())
    .describe('Whether loops print blank lines; by default the seed chooses'),
  digression: z.int().positive().default(40).describe('Paragraphs spent on a decoy problem, at least'),
  wrongShare: z.exactOptional(z.number().min(0).max(1)),
  errorShare: z.exactOptional(z.number().min(0).max(1)),
});
export type Personality = z.infer<typeof personalitySchema>;
export type Susceptibility = z.infer<typeof susceptibilitySchema>;

/** Written as the deadlock authors' default trigger is (ATTACKS.md, section 4). */
const implanted = '!!!!!';

/** The models that a simulator plays unless told otherwise. */
export const defaultModels: Readonly<Record<string, z.input<typeof personalitySchema>>> = {
  'sim-instruct': { reasoning: 'none' },
  'sim-instruct-lines': { reasoning: 'none', paragraphs: false },
  'sim-reasoner': { reasoning: 'reasoning_content' },
  'sim-reasoner-tags': { reasoning: 'tags' },
  'sim-reasoner-vllm': { reasoning: 'reasoning' },
  'sim-reasoner-backdoored': { reasoning: 'reasoning_content', backdoorToken: implanted },
  'sim-instruct-backdoored': { reasoning: 'none', backdoorToken: implanted },
};
