/** The target of recorded chains: an id that reports show, and an address that no resolver knows. */
export const recordedTarget = {
  id: 'recorded',
  config: { apiBaseUrl: 'http://recorded.invalid/v1', model: 'recorded' },
} as const;

/** Whether a target stands for recorded chains: nothing is ever asked of it. */
export function isRecorded(target: {
  readonly id: string;
  readonly config: { readonly apiBaseUrl: string };
}): boolean {
  return target.id === recordedTarget.id && target.config.apiBaseUrl === recordedTarget.config.apiBaseUrl;
}
