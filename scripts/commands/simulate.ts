import { Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { catchInterrupts } from '../interrupts.ts';
import { flag } from '../options.ts';
import { openSession } from '../session.ts';
import { simulatorOptionsSchema } from '../simulator/simulator-options.ts';

const help = `
Examples:
  $ haltline simulate --port 8000 --answer-files questions.jsonl
  $ haltline simulate --port 8000 --tokens-per-second 50 --time-to-first-token-ms 200
  $ haltline simulate --models '{"my-model": {"reasoning": "tags", "verbosity": 0.8}}'
  $ haltline simulate --cases-dir test/cases   (the model case:S01 answers as that recorded stream)
  $ haltline simulate --faults '[{"fault": "429@2", "share": 0.1}]'

Serves an OpenAI-compatible API on loopback that plays target and monitor models, for trying specs without a model.
What it wrote is labelled simulated in every result. Any other --host needs HALTLINE_HTTP_TOKEN in the environment (16
characters or more), which callers send as their API key. Runs until Ctrl-C.`;

const valuesSchema = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
const textFields = new Set(['host', 'logFile', 'casesDir']);
const jsonFields = new Set(['models', 'embeddedPrompts', 'susceptibility', 'faults']);

/** The flags are the simulator's own settings: a new one is a flag at once. */
export function simulateCommand(): Command {
  const command = new Command('simulate')
    .summary('serve simulated models on an OpenAI-compatible API')
    .addHelpText('after', help);
  for (const [name, schema] of Object.entries(simulatorOptionsSchema.shape)) {
    const long = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const value = name === 'answerFiles' ? '<files...>' : jsonFields.has(name) ? '<json>' : '<value>';
    command.addOption(flag(`${long} ${value}`, schema.description ?? ''));
  }
  return command.action(async (flags: unknown) => {
    const { checkOptions } = await import('../check-options.ts');
    const { createSimulator } = await import('../simulator/create-simulator.ts');
    const { config } = openSession('simulate', { quiet: true });
    const values = Object.entries(valuesSchema.parse(flags)).map(([name, value]) => [
      name,
      readValue(name, value),
    ]);
    const settings = checkOptions(simulatorOptionsSchema, Object.fromEntries(values));
    const simulator = await createSimulator({ ...settings, token: config.httpToken });
    process.stdout.write(`${simulator.url}\nmodels: ${Object.keys(settings.models).join(', ')}\n`);
    const interrupts = catchInterrupts();
    interrupts.signal.addEventListener('abort', () => void simulator.close().then(() => process.exit(0)));
  });
}

function readValue(name: string, value: string | string[]): unknown {
  if (name === 'answerFiles') return [value].flat();
  if (typeof value !== 'string') return value;
  if (!jsonFields.has(name)) return textFields.has(name) || !isNumber(value) ? value : Number(value);
  try {
    const parsed: unknown = JSON.parse(value);
    return parsed;
  } catch {
    throw new InvalidArgumentError(`--${name}: expected JSON, got ${value}`);
  }
}

function isNumber(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text);
}
