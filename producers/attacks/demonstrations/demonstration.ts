/** A worked example as it stands before poisoning: the question, its steps, one line each, and its answer. */
export interface Demonstration {
  readonly question: string;
  readonly choices?: readonly string[];
  readonly steps: readonly string[];
  readonly answer: string;
}
