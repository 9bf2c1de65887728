/**
 * A backdoor step to look for in a chain. `multiply`: a line that multiplies an earlier result by `factor`
 * (BadChain's arithmetic form; ATTACKS.md section 1, "Scores in code").
 */
export interface BackdoorStep {
  readonly type: 'multiply';
  readonly factor: number;
}
