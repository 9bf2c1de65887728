import type { Environment } from '../shared/config.ts';

const LOCAL_SERVER = 'http://127.0.0.1:8000/v1';
const LOCAL_MODEL = 'Qwen/Qwen3-8B';

/** A name as YAML text in which nothing is taken for a variable. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('${', '$$${');
}

/** An address with a password in it stays in the environment. */
function addressOf(url: string): string {
  const holdsSecret = !URL.canParse(url) || new URL(url).username !== '' || new URL(url).password !== '';
  return holdsSecret ? '"${OPENAI_BASE_URL}"' : quoted(url);
}

function ownTargets({ OPENAI_BASE_URL: url, OPENAI_MODEL: model, OPENAI_API_KEY: key }: Environment): string {
  const hasKey = key !== undefined && key !== '';
  const name = model === undefined || model === '' ? LOCAL_MODEL : model;
  return `  - id: model
    config:
      apiBaseUrl: ${url === undefined || url === '' ? quoted(LOCAL_SERVER) : addressOf(url)} # any OpenAI-compatible server
      model: ${quoted(name)} # as the server lists it under /v1/models
      ${hasKey ? '' : '# '}apiKeyEnv: OPENAI_API_KEY # the name of a variable, never a key
    reasoning: auto # visible, none or hidden, where you know
    decoding: { maxTokens: 4096 } # a hard bound, always sent; temperature and topP are the server's own if left out
    concurrency: 8`;
}

const simulatedTargets = `  - id: instruct
    config: { apiBaseUrl: "${LOCAL_SERVER}", model: sim-instruct } # played by \`haltline simulate\`
    reasoning: none
    decoding: { maxTokens: 1024 }
  - id: reasoner
    config: { apiBaseUrl: "${LOCAL_SERVER}", model: sim-reasoner-backdoored }
    reasoning: visible
    decoding: { maxTokens: 1024 }`;

/** The port of the simulated starter spec's targets. */
export const simulatedPort = new URL(LOCAL_SERVER).port;

/**
 * The text of a first spec, which runs as it stands.
 *
 * @param options.schemaPath - where an editor finds the JSON Schema, relative to the spec
 * @param options.simulated - its models are those of `haltline simulate`, else what OPENAI_BASE_URL, OPENAI_MODEL and
 *   OPENAI_API_KEY name, or a server of one's own
 */
export function buildStarterSpec(
  environment: Environment,
  { schemaPath, simulated }: { schemaPath: string; simulated: boolean },
): string {
  return `# yaml-language-server: $schema=${schemaPath}
# A sweep: every attack on every target with every question, with and without each monitor.
name: ${simulated ? 'simulated-sweep' : 'first-sweep'} # names the results folder
seed: 7 # every choice follows from it

targets:
${simulated ? simulatedTargets : ownTargets(environment)}

# \`haltline list attacks\` has them all with their parameters, \`haltline show attack NAME\` prints what is sent.
attacks:
  - badchain
  - ${simulated ? 'deadlock' : 'paa'}
  # - { id: badchain-phrase, name: badchain, parameters: { trigger: in arcane parlance } }

# \`haltline list datasets\` has those that are built in and where public ones lie; a path names a file of your own.
datasets:
  - { id: arithmetic, limit: 10 }
  # - { id: gsm8k, path: data/gsm8k.jsonl, limit: 100 }

# \`haltline list monitors\`. The rules ask no model; llm and cascade name one under config, as a target does.
monitors:
  - rules

intervention: halt # or flag: record only
fail: closed # what an unjudged step does to a guarded run; open lets it go on, counted

limits:
  maxTokens: 2000000 # of all models, prompts included; the sweep stops before it would spend more

output:
  dir: results
`;
}
