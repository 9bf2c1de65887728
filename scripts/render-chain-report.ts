import { describeCounts, formatNumber } from '../shared/core/report/cells.ts';
import { type Column, layOut } from '../shared/core/report/columns.ts';
import { simulatedHead } from '../shared/core/report/simulated.ts';
import { typeConfusionTable } from '../shared/core/report/type-confusion-table.ts';
import type { PairedShares } from '../shared/core/statistics/paired-shares.ts';
import { errorCodes, errorNames } from '../shared/core/taxonomy.ts';
import { terminalText } from '../shared/core/terminal-text.ts';
import type { Estimate } from '../shared/schemas/estimate.ts';
import type { PositionFigures } from '../workers/metrics/labelled-chains.ts';
import type { ChainReport, MonitorReport } from './chain-report.ts';

const WIDTH = 100;

const setColumns: readonly Column[] = [
  { head: ['', 'data set'], align: 'left', clips: true },
  { head: ['', 'chains'], align: 'right' },
  { head: ['wrong', 'n'], align: 'right' },
  { head: ['', 'PAcc'], align: 'right' },
  { head: ['', '[95%]'], align: 'left' },
  { head: ['clean', 'n'], align: 'right' },
  { head: ['', 'FPR'], align: 'right' },
  { head: ['', '[95%]'], align: 'left' },
  { head: ['', 'F1'], align: 'right' },
  { head: ['', '[95%]'], align: 'left' },
];

/** Figures on labelled chains as text for a terminal. */
export function renderChainReport(report: ChainReport): string {
  const parts = [report, ...(report.against ? [report.against] : [])];
  const played = parts.filter(({ simulated }) => simulated).map(({ monitor }) => monitor);
  const head = simulatedHead({ chains: false, monitors: played });
  const lines = [...head, ...parts.flatMap((part) => [...renderMonitor(part), ''])];
  if (report.against && report.compared) {
    const names = `${terminalText(report.monitor)} minus ${terminalText(report.against.monitor)}`;
    lines.push(`${names}, on the same chains`);
    lines.push(`  PAcc ${comparison(report.compared.pacc)}`, `  FPR  ${comparison(report.compared.fpr)}`, '');
  }
  const rate = (parts.length * report.chains) / report.seconds;
  lines.push(`${report.seconds.toFixed(1)} s through Redis and workers, ${rate.toFixed(0)} chains a second`);
  return `${lines.join('\n')}\n`;
}

function renderMonitor(report: MonitorReport): string[] {
  const rows = Object.entries(report.byDataset).map(([name, figures]) => setCells(name, figures));
  return [
    `monitor ${terminalText(report.monitor)}: ${String(report.chains)} chains, ${String(report.steps)} steps, recorded`,
    '',
    ...layOut(setColumns, [...rows, setCells('all', report)], WIDTH),
    '',
    ...errorCodes.flatMap((code) => {
      const figure = report.byType[code];
      return figure ? [`  ${code} ${errorNames[code].padEnd(22)} PAcc ${withBasis(figure)}`] : [];
    }),
    `  ${String(report.unmapped)} wrong chains have no label that stands for a type`,
    '',
    ...confusion(report),
    `  type accuracy   ${withBasis(report.typeAccuracy)} of those flagged at the labelled step`,
    `  precision       ${withBasis(report.precision)} of flagged chains are wrong`,
    `  first flag      ${distance(report)}`,
    ...cost(report),
    ...dropped(report),
  ];
}

function confusion({ typeConfusion }: MonitorReport): string[] {
  const isEmpty = Object.keys(typeConfusion).length === 0;
  return isEmpty ? [] : [...typeConfusionTable(typeConfusion, [], WIDTH), ''];
}

function setCells(name: string, { chains, pacc, fpr, f1 }: PositionFigures): string[] {
  return [
    terminalText(name),
    String(chains),
    ...shareCells(pacc),
    ...shareCells(fpr),
    f1.value === undefined ? '-' : formatNumber(f1.value),
    interval(f1),
  ];
}

function shareCells(figure: Estimate): string[] {
  return [String(figure.n), figure.value === undefined ? '-' : formatNumber(figure.value), interval(figure)];
}

function interval({ low, high }: Estimate): string {
  return low === undefined || high === undefined ? '' : `[${formatNumber(low)}, ${formatNumber(high)}]`;
}

function withBasis(figure: Estimate): string {
  if (figure.value === undefined) return 'none';
  return `${formatNumber(figure.value)} ${interval(figure)} (n ${String(figure.n)})`;
}

function distance({ distance: at }: MonitorReport): string {
  const counts = `${String(at.exact)} at the label, ${String(at.early)} before, ${String(at.late)} after, ${String(at.missed)} none`;
  return at.mean === undefined ? counts : `${counts}; mean ${at.mean.toFixed(1)} steps off`;
}

function cost({ microsecondsPerStep, use, cost: money }: MonitorReport): string[] {
  if (microsecondsPerStep === undefined) return [];
  const time = `  time            ${microsecondsPerStep.toFixed(0)} us a step`;
  if (use.calls === 0) return [time];
  const spent = `${String(use.calls)} calls, ${String(use.tokensIn)} tokens in, ${String(use.tokensOut)} out`;
  return [time, `  model           ${spent}${money === undefined ? '' : `, cost ${money.toPrecision(4)}`}`];
}

function dropped({ pacc }: MonitorReport): string[] {
  const counts = describeCounts(pacc.dropped);
  return counts === '' ? [] : [`  left out        ${counts}`];
}

function comparison({ difference, firstOnly, secondOnly, pValue }: PairedShares): string {
  if (difference.value === undefined) return 'none';
  const sides = `${String(firstOnly)} by the first alone, ${String(secondOnly)} by the second alone`;
  return `${withBasis(difference)}; ${sides}; p ${pValue.toPrecision(2)}`;
}
