/**
 * How often do our 95% intervals hold the truth? Prints, for simulated data sets, the share of intervals that do and
 * their mean width: our cluster bootstrap (bootstrap-t) beside the percentile and BCa intervals that it was chosen over.
 *
 * `npx tsx scripts/bench/interval-coverage.ts [data sets, default 4000]` (about two minutes)
 */
import { createRandom, type Random } from '../../shared/core/random.ts';
import { clusterBootstrap } from '../../shared/core/statistics/cluster-bootstrap.ts';
import { total, type ClusterSums } from '../../shared/core/statistics/clusters.ts';
import { z95, type Interval } from '../../shared/core/statistics/estimate.ts';
import { quantile } from '../../shared/core/statistics/percentiles.ts';
import { shareOfSums } from '../../shared/core/statistics/share.ts';

interface Population {
  readonly name: string;
  readonly truth: number;
  readonly range: Interval;
  draw(random: Random): ClusterSums;
}

const resamples = 1_000;

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

/** Ratios exp(sigma z): one a question, or three that share half of their log variance. */
function lognormal(questions: number, sigma: number, repeats: 1 | 3): Population {
  return {
    name: `ratios, sigma ${sigma}, ${questions} questions x ${repeats}`,
    truth: Math.exp((sigma * sigma) / 2),
    range: { low: 0, high: Infinity },
    draw: (random) => {
      const counts = new Float64Array(questions).fill(repeats);
      const sums = counts.map(() => {
        const common = normal(random);
        let sum = 0;
        for (let repeat = 0; repeat < repeats; repeat += 1) {
          const z = repeats === 1 ? common : (common + normal(random)) / Math.SQRT2;
          sum += Math.exp(sigma * z);
        }
        return sum;
      });
      return { sums, counts };
    },
  };
}

/** Three runs a question; each repeats the question's own outcome half of the time, else is drawn anew. */
function repeatedShare(questions: number, truth: number): Population {
  return {
    name: `share ${truth}, ${questions} questions x 3`,
    truth,
    range: { low: 0, high: 1 },
    draw: (random) => {
      const counts = new Float64Array(questions).fill(3);
      const sums = counts.map(() => {
        const own = random.next() < truth;
        const hits = [0, 1, 2].filter(() => (random.next() < 0.5 ? own : random.next() < truth));
        return hits.length;
      });
      return { sums, counts };
    },
  };
}

function resampledMeans({ sums, counts }: ClusterSums, random: Random): Float64Array {
  const size = counts.length;
  return new Float64Array(resamples)
    .map(() => {
      let sum = 0;
      let count = 0;
      for (let draw = 0; draw < size; draw += 1) {
        const place = Math.floor(random.next() * size);
        sum += sums[place] ?? 0;
        count += counts[place] ?? 0;
      }
      return sum / count;
    })
    .sort();
}

function percentileInterval(means: Float64Array): Interval {
  return { low: quantile(means, 0.025), high: quantile(means, 0.975) };
}

/** Bias-corrected and accelerated (Efron, 1987); acceleration from the jackknife over clusters. */
function bcaInterval({ sums, counts }: ClusterSums, means: Float64Array): Interval {
  const [sum, count] = [total(sums), total(counts)];
  const below = means.filter((mean) => mean < sum / count).length;
  const equal = means.filter((mean) => mean === sum / count).length;
  const bias = normalQuantile((below + equal / 2) / means.length);
  const jackknife = sums.map((own, place) => (sum - own) / (count - (counts[place] ?? 0)));
  const centre = total(jackknife) / jackknife.length;
  const power = (exponent: number) => total(jackknife.map((mean) => (centre - mean) ** exponent));
  const acceleration = power(2) === 0 ? 0 : power(3) / (6 * power(2) ** 1.5);
  const corrected = (z: number) =>
    quantile(means, normalShareBelow(bias + (bias + z) / (1 - acceleration * (bias + z))));
  return { low: corrected(-z95), high: corrected(z95) };
}

/** Abramowitz and Stegun 7.1.26; error below 1.5e-7. */
function normalShareBelow(z: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(z)) / Math.SQRT2);
  const series = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592];
  const tail = series.reduce((sum, coefficient) => (sum + coefficient) * t, 0) * Math.exp((-z * z) / 2);
  return z < 0 ? tail / 2 : 1 - tail / 2;
}

function normalQuantile(share: number): number {
  let [low, high] = [-8, 8];
  for (let halving = 0; halving < 60; halving += 1) {
    const middle = (low + high) / 2;
    if (normalShareBelow(middle) < share) low = middle;
    else high = middle;
  }
  return low;
}

function ours(data: ClusterSums, population: Population): Interval {
  if (population.range.high === Infinity) return clusterBootstrap(data, population.range);
  const { low = NaN, high = NaN } = shareOfSums(data);
  return { low, high };
}

function measure(population: Population, dataSets: number): void {
  const random = createRandom(`interval-coverage ${population.name}`);
  const methods = ['ours', 'BCa', 'percentile'] as const;
  const held = { ours: 0, BCa: 0, percentile: 0 };
  const width = { ours: 0, BCa: 0, percentile: 0 };
  for (let dataSet = 0; dataSet < dataSets; dataSet += 1) {
    const data = population.draw(random);
    const means = resampledMeans(data, random);
    const intervals = {
      ours: ours(data, population),
      BCa: bcaInterval(data, means),
      percentile: percentileInterval(means),
    };
    for (const method of methods) {
      const { low, high } = intervals[method];
      held[method] += Number(low <= population.truth && population.truth <= high);
      width[method] += high - low;
    }
  }
  const cells = methods.map(
    (method) =>
      `${method} ${((100 * held[method]) / dataSets).toFixed(1)}% (width ${(width[method] / dataSets).toFixed(3)})`,
  );
  console.log(`${population.name}: ${cells.join(', ')}`);
}

const dataSets = Number(process.argv[2] ?? 4_000);
for (const sigma of [0.3, 1]) {
  for (const questions of [10, 30, 100]) measure(lognormal(questions, sigma, 1), dataSets);
  measure(lognormal(100, sigma, 3), dataSets);
}
for (const truth of [0.05, 0.3, 0.8]) {
  for (const questions of [30, 100]) measure(repeatedShare(questions, truth), dataSets);
}
