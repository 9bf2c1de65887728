import { createHash, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from './core/canonical-json.ts';

/** @returns 64 lower-case hex digits */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/**
 * The hash of JSON data, independent of the order of members: run ids, sweep ids and `messagesHash`.
 *
 * @returns 64 lower-case hex digits
 * @throws TypeError on what JSON cannot say
 */
export function hashJson(value: unknown): string {
  return sha256(canonicalJson(value));
}

/** A number in [0, 2^31) drawn from JSON data: the seed sent to a target (servers take 32 signed bits). */
export function seedFrom(value: unknown): number {
  return Number.parseInt(hashJson(value).slice(0, 8), 16) >>> 1;
}

/** Whether two texts are equal, in a time that tells nothing of either. */
export function isEqualSecret(left: string, right: string): boolean {
  const [one, other] = [left, right].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
