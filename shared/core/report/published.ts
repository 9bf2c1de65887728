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
