import { type Command, InvalidArgumentError } from 'commander';
import { flag, parseCount, parsePositive } from './options.ts';

/** Adds the flags that are laid over a spec; `layerSpec` takes them. */
export function addLayerFlags(command: Command): Command {
  return command
    .addOption(flag('--filter-attack <id>', 'only this attack of the spec; repeatable').argParser(collect))
    .addOption(flag('--filter-target <id>', 'only this target; repeatable').argParser(collect))
    .addOption(flag('--filter-dataset <id>', 'only this data set; repeatable').argParser(collect))
    .addOption(flag('--seed <n>', "in place of the spec's seed").argParser(parseCount))
    .addOption(flag('--repeat <n>', "in place of the spec's repeat").argParser(parseRepeat))
    .addOption(
      flag(
        '--concurrency <n>',
        "requests in flight per generation worker, in place of each target's own",
      ).argParser(parseRepeat),
    );
}

/** Repeated, or ids with commas between them, as a variable holds them. */
function collect(text: string, earlier: readonly string[] | undefined): string[] {
  return [...(earlier ?? []), ...text.split(',').map((id) => id.trim())].filter((id) => id !== '');
}

function parseRepeat(text: string): number {
  const count = parsePositive(text);
  if (count > 10_000) throw new InvalidArgumentError('Expected a whole number, 1 to 10000.');
  return count;
}
