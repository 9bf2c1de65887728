/**
 * Records gathered by cluster (question): `sums[k]` of the values and `counts[k]` of the records of the k-th cluster,
 * in ascending order of cluster id, so that the order of the records changes nothing.
 */
export interface ClusterSums {
  readonly sums: Float64Array;
  readonly counts: Float64Array;
}

/**
 * @param values - one a record
 * @param clusters - the cluster id of each record: any integers, in any order
 * @throws RangeError when the two differ in length, or a value is not finite
 */
export function sumByCluster(values: readonly number[], clusters: readonly number[]): ClusterSums {
  if (values.length !== clusters.length) {
    throw new RangeError(`${values.length} values of ${clusters.length} cluster ids`);
  }
  const ids = Float64Array.from(new Set(clusters)).sort();
  const places = new Map<number, number>();
  ids.forEach((id, place) => places.set(id, place));
  const sums = new Float64Array(ids.length);
  const counts = new Float64Array(ids.length);
  values.forEach((value, record) => {
    if (!Number.isFinite(value))
      throw new RangeError(`value ${record} is ${value}: expected a finite number`);
    const place = places.get(clusters[record] ?? NaN) ?? 0;
    sums[place] = (sums[place] ?? 0) + value;
    counts[place] = (counts[place] ?? 0) + 1;
  });
  return { sums, counts };
}

/** @returns the sum of all elements, 0 for none */
export function total(numbers: Float64Array): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
