import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  type ChainRecord,
  chainRecordSchema,
  type RunLine,
  runLineSchema,
} from '../../shared/schemas/run-result.ts';

const decompress = promisify(gunzip);

/** Every line of a sweep's `runs.jsonl`, repeats included. @throws on a line that is none */
export async function readAllLines(dir: string): Promise<RunLine[]> {
  const text = await readFile(join(dir, 'runs.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => runLineSchema.parse(JSON.parse(line)));
}

/** The chain of each run, from where its line says that it stands. */
export async function readChains(dir: string, lines: readonly RunLine[]): Promise<Map<number, ChainRecord>> {
  const members = new Map<string, ChainRecord[]>();
  const chains = new Map<number, ChainRecord>();
  for (const { place, chain } of lines) {
    const at = `${chain.file}/${chain.offset}`;
    const records = members.get(at) ?? (await readMember(dir, chain));
    members.set(at, records);
    const record = records.find((one) => one.place === place);
    if (record && !chains.has(place)) chains.set(place, record);
  }
  return chains;
}

async function readMember(dir: string, chain: RunLine['chain']): Promise<ChainRecord[]> {
  const file = await open(join(dir, chain.file));
  try {
    const bytes = Buffer.alloc(chain.length);
    await file.read(bytes, 0, chain.length, chain.offset);
    const text = (await decompress(bytes)).toString('utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => chainRecordSchema.parse(JSON.parse(line)));
  } finally {
    await file.close();
  }
}
