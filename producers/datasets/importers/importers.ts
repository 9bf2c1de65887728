import { aqua } from './aqua.ts';
import { commonsenseqa } from './commonsenseqa.ts';
import { aime2024, math500 } from './competition.ts';
import { csv } from './csv.ts';
import { gsm8k } from './gsm8k.ts';
import type { Importer } from './importer.ts';
import { mathqa } from './mathqa.ts';
import { squad } from './squad.ts';
import { strategyqa } from './strategyqa.ts';

/** Every format that can be imported, in alphabetical order of names. */
export const importers: readonly Importer[] = [
  aime2024,
  aqua,
  commonsenseqa,
  csv,
  gsm8k,
  math500,
  mathqa,
  squad,
  strategyqa,
];

/** @returns the importer of this name, or undefined */
export function findImporter(name: string): Importer | undefined {
  return importers.find((importer) => importer.name === name);
}
