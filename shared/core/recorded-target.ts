/** The target of recorded chains: an id that reports show, and an address that no resolver knows. */
export const recordedTarget = {
  id: 'recorded',
  config: { apiBaseUrl: 'http://recorded.invalid/v1', model: 'recorded' },
} as const;

interface Addressed {
  readonly id: string;
  readonly config: { readonly apiBaseUrl: string };
}

/** Whether nothing is ever asked of a target: its chains are recorded, in files of labelled chains or in a sweep. */
export function isNeverAsked({ config }: Addressed): boolean {
  return config.apiBaseUrl === recordedTarget.config.apiBaseUrl;
}

/** Whether a target stands for files of labelled chains. */
export function isRecorded(target: Addressed): boolean {
  return target.id === recordedTarget.id && isNeverAsked(target);
}
