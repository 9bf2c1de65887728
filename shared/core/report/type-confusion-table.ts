import { type FlagType, flagTypes } from '../signatures/flag-types.ts';
import type { TypeConfusion } from '../signatures/type-confusion.ts';
import { errorCodes, errorNames } from '../taxonomy.ts';
import { type Column, layOut } from './columns.ts';

const number = (first: string, second: string): Column => ({ head: [first, second], align: 'right' });

/** Labelled types (rows) against the types of first flags at the labelled step; types that the monitor gives have a column. */
export function typeConfusionTable(
  confusion: TypeConfusion,
  gives: readonly FlagType[],
  width: number,
): string[] {
  const seen = new Set(Object.values(confusion).flatMap(({ as }) => Object.keys(as)));
  const types = flagTypes.filter((type) => gives.includes(type) || seen.has(type));
  const columns: Column[] = [
    { head: ['labelled', 'type'], align: 'left', clips: true },
    number('', 'n'),
    ...types.map((type) => number('', type)),
    number('other', 'step'),
    number('no', 'flag'),
  ];
  const rows = errorCodes.flatMap((code) => {
    const row = confusion[code];
    if (row === undefined) return [];
    const counts = types.map((type) => row.as[type] ?? 0);
    return [[`${code} ${errorNames[code]}`, ...[row.n, ...counts, row.elsewhere, row.noFlag].map(String)]];
  });
  return [
    'labelled chains: what the first flag was called where it stood at the labelled step',
    '',
    ...layOut(columns, rows, width),
  ];
}
