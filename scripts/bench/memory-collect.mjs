// Loaded into each process of the memory benchmark: on SIGUSR2 it collects all garbage and writes what it holds
// to a file. Plain JavaScript: it is loaded before the loader of TypeScript is.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');
const file = join(process.env.HALTLINE_BENCH_DIR, `memory-${process.pid}.json`);

process.on('SIGUSR2', () => {
  // Without options: Node 20 takes any for a collection of young objects alone. The second round frees what the first
  // one's finalizers let go.
  for (let round = 0; round < 2; round += 1) gc();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(`${file}.part`, JSON.stringify({ heldBytes: heapUsed + external }));
  renameSync(`${file}.part`, file);
});
