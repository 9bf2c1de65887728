import { Command } from 'commander';
import { flag } from '../options.ts';

export interface DoctorFlags {
  readonly spec?: string;
  readonly target?: string;
  readonly url?: string;
  readonly model?: string;
  readonly apiKeyEnv?: string;
  readonly json: boolean;
}

const help = `
Examples:
  $ haltline doctor                                     Redis, queues and workers
  $ haltline doctor --spec sweep.yaml --target small    a target of a spec, too
  $ haltline doctor --url http://127.0.0.1:8000/v1 --model qwen3 --api-key-env MY_KEY
                                                        an endpoint that is in no spec yet

An endpoint is asked five short questions. What it shows becomes the lines of a spec.

Exit codes: 0 nothing is in the way of a sweep (warnings or not), 1 something is.`;

export function doctorCommand(): Command {
  return new Command('doctor')
    .summary('look at Redis, workers and an endpoint, and say what is wrong')
    .description('Looks at what a sweep needs: Redis, the queues and their workers, and an endpoint.')
    .addOption(flag('--spec <file>', 'a sweep spec whose target is asked'))
    .addOption(flag('--target <id>', "which of the spec's targets; default: its first"))
    .addOption(flag('--url <url>', 'base URL of an OpenAI-compatible API, usually ending in /v1'))
    .addOption(flag('--model <name>', 'the model to ask there'))
    .addOption(flag('--api-key-env <name>', 'the environment variable that holds its API key'))
    .addOption(flag('--json', 'print JSON').default(false))
    .addHelpText('after', help)
    .action(async (flags: DoctorFlags) => {
      const { examine } = await import('./doctor-action.ts');
      process.exitCode = await examine(flags);
    });
}
