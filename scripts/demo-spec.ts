/** What the demo's simulated models write a second: slow enough that a halt is seen to save time. */
export const demoTokensPerSecond = 200;

/**
 * The demo's sweep, as a spec file would hold it: an instruct model and a reasoning model with an implanted trigger,
 * both attacked with BadChain and Deadlock, watched by the rules.
 *
 * @param apiBaseUrl - where the simulator answers
 */
export function buildDemoSpec(apiBaseUrl: string): unknown {
  const target = (id: string, model: string, reasoning: string) => ({
    id,
    config: { apiBaseUrl, model },
    reasoning,
    decoding: { maxTokens: 1024 },
    concurrency: 16,
  });
  return {
    name: 'demo',
    description: 'Simulated models under two attacks, with and without the rules monitor',
    seed: 7,
    targets: [
      target('instruct', 'sim-instruct', 'none'),
      target('reasoner', 'sim-reasoner-backdoored', 'visible'),
    ],
    attacks: ['badchain', 'deadlock'],
    datasets: [{ id: 'arithmetic', limit: 20 }],
    monitors: ['rules'],
    intervention: 'halt',
  };
}
