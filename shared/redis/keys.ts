/**
 * Every key, queue name and channel of Haltline. Three kinds of hash tag: the sweep's id, the sweep's id with the run's
 * place, and a model's name; no script touches two tags, so each runs on one slot of a Redis Cluster.
 */
export interface SweepKeys {
  readonly spec: string;
  readonly state: string;
  readonly results: string;
  readonly done: string;
  readonly metricsLease: string;
  readonly feederLease: string;
  readonly backlogBytes: string;
  readonly lateUse: string;
  readonly spend: string;
  readonly openSpend: string;
}

/** What one model can take: see limit-scripts.ts. */
export interface LimitKeys {
  readonly starts: string;
  readonly tokens: string;
  readonly open: string;
  readonly pause: string;
}

export interface RunKeys {
  readonly run: string;
  readonly steps: string;
  readonly verdicts: string;
}

export interface Keys {
  /** A set: the ids of the sweeps that workers serve. */
  readonly liveSweeps: string;
  readonly deadLetters: string;
  readonly deadLetterCount: string;
  /** BullMQ's prefix: queue names carry their own hash tags. */
  readonly queuePrefix: string;
  readonly monitorQueue: string;
  generationQueue(target: string): string;
  sweep(sweep: string): SweepKeys;
  run(sweep: string, place: number): RunKeys;
  limits(model: string): LimitKeys;
  /** The push channel of one worker process. */
  channel(worker: string): string;
}

export function createKeys(prefix: string): Keys {
  return {
    liveSweeps: `${prefix}:live-sweeps`,
    deadLetters: `${prefix}:dead-letters`,
    deadLetterCount: `${prefix}:dead-letter-count`,
    queuePrefix: prefix,
    monitorQueue: `{${prefix}-monitor}`,
    generationQueue: (target) => `{${prefix}-gen-${target}}`,
    sweep: (sweep) => {
      const key = (name: string) => `${prefix}:sweep:{${asTag(sweep)}}:${name}`;
      return {
        spec: key('spec'),
        state: key('state'),
        results: key('results'),
        done: key('done'),
        metricsLease: key('metrics-lease'),
        feederLease: key('feeder-lease'),
        backlogBytes: key('backlog-bytes'),
        lateUse: key('late-use'),
        spend: key('spend'),
        openSpend: key('open-spend'),
      };
    },
    run: (sweep, place) => {
      const head = `${prefix}:run:{${asTag(sweep)}/${String(place)}}:`;
      return { run: `${head}run`, steps: `${head}steps`, verdicts: `${head}verdicts` };
    },
    limits: (model) => {
      const key = (name: string) => `${prefix}:limits:{${asTag(model)}}:${name}`;
      return { starts: key('starts'), tokens: key('tokens'), open: key('open'), pause: key('pause') };
    },
    channel: (worker) => `${prefix}:push:${worker}`,
  };
}

/** Braces end a hash tag early, or leave it empty: then the keys of one script would lie on several slots. */
function asTag(id: string): string {
  return id === '' ? '%' : id.replace(/[%{}]/g, encodeURIComponent);
}
