import { Cluster, type DNSLookupFunction, type ClusterNode, type RedisOptions } from 'ioredis';

/** Slots are asked for again after each failure; a busy machine may take long to answer. */
const slotsRefreshTimeoutMs = 3_000;

export interface ClusterConnection {
  /** Where the cluster is asked for its other nodes. */
  readonly seeds: readonly ClusterNode[];
  /** Of the connection to each node. */
  readonly node: RedisOptions;
  readonly retryDelayMs: (attempt: number) => number;
  /** False: a command fails when no node takes it for a while. */
  readonly isPatient: boolean;
}

/**
 * Opens a connection to a Redis Cluster: each command goes to the master of its key's slot. A command is sent again, every
 * 100 ms, while its master is away or another takes its place (MOVED, CLUSTERDOWN, a lost connection).
 */
export function createCluster({ seeds, node, retryDelayMs, isPatient }: ClusterConnection): Cluster {
  return new Cluster([...seeds], {
    redisOptions: { ...node, replyMapping: 'legacy' },
    clusterRetryStrategy: retryDelayMs,
    slotsRefreshTimeout: slotsRefreshTimeoutMs,
    enableOfflineQueue: isPatient,
    ...(isPatient ? { maxRedirections: Number.POSITIVE_INFINITY } : {}),
    ...(node.tls === undefined ? {} : { dnsLookup: lookUpNothing }),
  });
}

/** A certificate is made out to a name; what a look-up gives is an address. */
const lookUpNothing: DNSLookupFunction = (name, callback) => callback(null, name);
