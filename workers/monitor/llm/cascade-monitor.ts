import type { ChainMonitor, Monitor } from '../monitor.ts';
import type { RulesMonitor } from '../rules/rules-monitor.ts';
import type { ModelMonitor } from './model-monitor.ts';

/**
 * Rules first; a model judges what the rules passed. A verdict of the first stage names its rule, one of the second
 * has none. Both stages see every step: their states need all of the chain.
 */
export function createCascadeMonitor(rules: RulesMonitor, model: ModelMonitor): Monitor {
  return {
    version: `cascade(${rules.version},${model.version})`,
    watch: (problem): ChainMonitor => {
      const [first, second] = [rules.watch(problem), model.watch(problem)];
      return {
        judge: (step, context) => {
          const verdict = first.judge(step);
          if (!verdict.errorDetected) return second.judge(step, context);
          // Under `flag` more steps follow, and the model has to know what stood before them.
          second.skip(step);
          return verdict;
        },
      };
    },
  };
}
