/** Every way in which Haltline itself can fail, and what each means. A halted run is an outcome, not an error. */
export const errorMeanings = {
  SPEC_INVALID: 'the sweep spec does not fit its schema',
  DATA_MISSING: 'a data file cannot be read',
  DOWNLOAD_FAILED: 'a file cannot be downloaded, or is not the one expected',
  DATA_INVALID: 'a line of a data file does not fit its schema',
  KEY_UNSET: 'an environment variable that should hold an API key is not set',
  CONFIG_INVALID: 'an environment variable or a flag has an unusable value',
  REDIS_UNAVAILABLE: 'no Redis can be reached or started',
  REDIS_UNSUITABLE: 'the Redis at hand would lose data (maxmemory-policy is not noeviction)',
  TARGET_UNREACHABLE: 'a target refuses connections',
  PAYLOAD_INVALID: 'a job or message does not fit its schema',
  PAYLOAD_NEWER: 'a job or message was written by a newer version',
  FOLDER_BEHIND: 'a sweep folder holds fewer runs than Redis has marked as done',
  FOLDER_UNSAFE: 'a file of a sweep folder is a link that leads elsewhere',
  METRICS_MISSING: 'no metrics worker has taken the sweep',
  SWEEP_BUSY: 'another process feeds the sweep',
  SWEEP_UNKNOWN: 'no sweep of this id is known',
  CANCELLED: 'the sweep was cancelled',
} as const;
export type ErrorCode = keyof typeof errorMeanings;

export class HaltlineError extends Error {
  readonly code: ErrorCode;
  /** Whether trying again, unchanged, can help. */
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'HaltlineError';
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}
