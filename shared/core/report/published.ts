import type { ErrorCode } from '../taxonomy.ts';

/** Printed where the text of the paper gives no value. */
export const notQuoted = 'not quoted';

/** A line of the paper's Table 4 as its text quotes it (arXiv 2603.25412 v2, section 5.5): ASR on 100 GSM8K questions. */
export interface PublishedAsr {
  readonly target: string;
  readonly attack: string;
  readonly without: string;
  readonly with: string;
}

/** A line of the paper's Table 5, likewise: TAF on 100 CommonsenseQA questions; LAF from section 5.6. */
export interface PublishedTaf extends PublishedAsr {
  /** Monitored over unmonitored latency under attack. */
  readonly lafGuarded: string;
}

export const publishedAsr: readonly PublishedAsr[] = [
  { target: 'DeepSeek-V3.2', attack: 'badchain', without: '0.78', with: '0' },
  { target: 'Qwen3-30B-A3B-Instruct-2507', attack: 'badchain', without: notQuoted, with: '0' },
  { target: 'DeepSeek-V3.2', attack: 'paa', without: notQuoted, with: '<= 0.05' },
  { target: 'Qwen3-30B-A3B-Instruct-2507', attack: 'paa', without: notQuoted, with: '<= 0.05' },
];

/** Shares of error types as the paper's text quotes them of its Figure 1 (section 3.3); codes it does not quote are absent. */
export const publishedSignatures: readonly {
  readonly name: string;
  readonly shares: Readonly<Partial<Record<ErrorCode, string>>>;
}[] = [
  { name: 'badchain', shares: { '3b': '0.61', '2c': '0.17', '2a': '0.13' } },
  { name: 'paa', shares: { '2b': '0.49', '3c': '0.34' } },
  { name: 'overthink', shares: { '1a': '0.75', '3b': '0.25' } },
  { name: 'deadlock', shares: { '3a': '0.70', '3b': '0.16', '1a': '0.12' } },
  {
    name: 'Omni-Math (no attack)',
    shares: { '1a': '0.13', '1b': '0.11', '1c': '0.11', '2a': '0.35', '2b': '0.25' },
  },
];

export const publishedTaf: readonly PublishedTaf[] = [
  {
    target: 'targets not named',
    attack: 'overthink',
    without: notQuoted,
    with: notQuoted,
    lafGuarded: '0.28*',
  },
  {
    target: 'DeepSeek-R1-Distill-Llama-8B',
    attack: 'deadlock',
    without: '33.86',
    with: notQuoted,
    lafGuarded: '0.01',
  },
  {
    target: 'Phi-4-mini-reasoning',
    attack: 'deadlock',
    without: '16.85',
    with: '4.69',
    lafGuarded: notQuoted,
  },
];
