import type { AttackReading } from '../signatures/attack-reading.ts';
import type { MonitorSignatures, SignatureReport } from '../signatures/signature-report.ts';
import { errorNames } from '../taxonomy.ts';
import { clip, terminalText } from '../terminal-text.ts';
import { formatNumber } from './cells.ts';
import { basisLine, givesLine, shownTypes, simulatedInSignatures } from './signatures.ts';
import { simulatedHead } from './simulated.ts';

const CELL = { width: 70, height: 26 } as const;
const LABEL_WIDTH = 240;
const LINE = 18;
const MARGIN = 16;

/** A cell of a heat map: how dark, in [0, 1] or undefined where there is nothing to show, and what stands in it. */
interface Cell {
  readonly share: number | undefined;
  readonly text: string;
  readonly title: string;
}

interface HeatMap {
  readonly heading: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly name: string; readonly cells: readonly Cell[] }[];
}

/**
 * Signatures as one self-contained SVG: for each monitor a heat map of types by attack, as the paper's Figure 1, and one
 * of the reverse reading. No script, no font, no link; names are escaped, and nothing that a model wrote stands in it.
 */
export function renderSignaturesSvg(report: SignatureReport): string {
  const parts: string[] = [];
  let [y, width] = [MARGIN, 640];
  const line = (text: string, style = ''): void => {
    y += LINE;
    parts.push(`<text x="${MARGIN}" y="${y}"${style}>${escapeXml(text)}</text>`);
    width = Math.max(width, 2 * MARGIN + Math.ceil(text.length * 6.6));
  };
  const bold = ' font-weight="bold"';
  for (const text of simulatedHead(simulatedInSignatures(report)))
    if (text !== '') line(text, `${bold} fill="#b00"`);
  line(`signatures of ${clip(report.sweeps.join(', '), 120)}`, bold);
  line(basisLine(report));
  for (const monitor of report.monitors) {
    y += LINE;
    const replayed = monitor.replayed ? '; REPLAYED: stored chains judged again' : '';
    line(`monitor ${monitor.monitor} (${monitor.version}), sees: ${monitor.sees}${replayed}`, bold);
    line(givesLine(monitor));
    for (const map of heatMaps(monitor)) {
      y += LINE / 2;
      line(map.heading);
      const drawn = drawMap(map, y + 6);
      parts.push(drawn.svg);
      y = drawn.bottom;
      width = Math.max(width, LABEL_WIDTH + map.columns.length * CELL.width + 2 * MARGIN);
    }
  }
  const size = `width="${width}" height="${y + MARGIN}" viewBox="0 0 ${width} ${y + MARGIN}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function heatMaps(monitor: MonitorSignatures): HeatMap[] {
  const { reading } = monitor;
  return [profileMap(monitor), ...('none' in reading ? [] : [readingMap(reading)])];
}

function profileMap(monitor: MonitorSignatures): HeatMap {
  const types = shownTypes(monitor);
  return {
    heading: 'share of each type in the flags of a class; "no flag" is a share of its runs',
    columns: [...types, 'no flag'],
    rows: monitor.classes.map(({ name, runs, flags, noFlag, shares }) => ({
      name: `${name} (${flags} flags, ${runs} runs)`,
      cells: [
        ...types.map((type) => {
          const title = type === 'UNKNOWN' ? 'type unreadable' : `${type} ${errorNames[type]}`;
          return shareCell(shares[type], `${name}: ${title}`);
        }),
        shareCell(noFlag, `${name}: no flag`),
      ],
    })),
  };
}

function readingMap({ classes, right, folds }: AttackReading): HeatMap {
  const names = classes.map(({ className }) => className);
  const value = right.value === undefined ? 'none' : formatNumber(right.value);
  return {
    heading: `runs of a class (rows) by what their flags were read as, ${folds}-fold over questions; right: ${value} of ${right.n} flagged`,
    columns: [...names, 'undecided', 'no flag'],
    rows: classes.map(({ className, runs, readAs, undecided, noFlag }) => ({
      name: `${className} (${runs} runs)`,
      cells: [
        ...names.map((name) => (Object.hasOwn(readAs, name) ? (readAs[name] ?? 0) : 0)),
        ...[undecided, noFlag],
      ].map((count, place) => ({
        share: runs === 0 ? undefined : count / runs,
        text: String(count),
        title: `${className} read as ${[...names, 'undecided', 'no flag'][place] ?? ''}: ${count} of ${runs}`,
      })),
    })),
  };
}

function shareCell(
  share:
    | { readonly value?: number; readonly low?: number; readonly high?: number; readonly n: number }
    | undefined,
  title: string,
): Cell {
  if (share?.value === undefined) return { share: undefined, text: '', title: `${title}: none` };
  const { value, low = 0, high = 1, n } = share;
  const interval = `[${formatNumber(low)}, ${formatNumber(high)}], n ${n}`;
  return { share: value, text: formatNumber(value), title: `${title}: ${formatNumber(value)} ${interval}` };
}

function drawMap({ columns, rows }: HeatMap, top: number): { svg: string; bottom: number } {
  const at = (column: number): number => MARGIN + LABEL_WIDTH + column * CELL.width;
  const heads = columns.map(
    (name, column) =>
      `<text x="${at(column) + CELL.width / 2}" y="${top + LINE - 4}" text-anchor="middle">${escapeXml(clip(name, 9))}<title>${escapeXml(name)}</title></text>`,
  );
  const body = rows.flatMap(({ name, cells }, row) => {
    const y = top + LINE + row * CELL.height;
    const baseline = y + CELL.height / 2 + 4;
    return [
      `<text x="${MARGIN}" y="${baseline}">${escapeXml(clip(name, 40))}<title>${escapeXml(name)}</title></text>`,
      ...cells.map((cell, column) => drawCell(cell, at(column), y)),
    ];
  });
  return { svg: [...heads, ...body].join('\n'), bottom: top + LINE + rows.length * CELL.height };
}

function drawCell({ share, text, title }: Cell, x: number, y: number): string {
  const box = `<rect x="${x}" y="${y}" width="${CELL.width - 2}" height="${CELL.height - 2}" fill="${colourOf(share)}"><title>${escapeXml(title)}</title></rect>`;
  const ink = (share ?? 0) > 0.55 ? '#fff' : '#222';
  const middle = `x="${x + CELL.width / 2 - 1}" y="${y + CELL.height / 2 + 3}"`;
  return `${box}<text ${middle} text-anchor="middle" fill="${ink}" pointer-events="none">${escapeXml(text)}</text>`;
}

/** From near white to a deep blue; grey where there is nothing to show. */
function colourOf(share: number | undefined): string {
  if (share === undefined) return '#ddd';
  const mix = (from: number, to: number): number => Math.round(from + (to - from) * share);
  return `rgb(${mix(243, 8)},${mix(247, 61)},${mix(252, 128)})`;
}

function escapeXml(text: string): string {
  return terminalText(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
