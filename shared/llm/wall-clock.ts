/** Unix epoch milliseconds with fractions, from the clock that no one sets back while the process runs. */
export function wallClockMs(): number {
  return performance.timeOrigin + performance.now();
}
