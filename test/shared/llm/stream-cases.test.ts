import { describe, expect, it, onTestFinished } from 'vitest';
import { createSimulator } from '../../../scripts/simulator/create-simulator.ts';
import { cutAt, recordedModelPrefix } from '../../../scripts/simulator/recorded-streams.ts';
import { allStreamCases, decodeCase, expectation, inCaseWords, type StreamCase } from './case-files.ts';
import { stream, targetAt } from './target.ts';

const SHORT_MS = 250;
const cases = allStreamCases();

/** Plays a case over a socket; the caller of a `client_abort` aborts when all the text of the body has arrived. */
async function readOverHttp(streamCase: StreamCase) {
  const { end } = streamCase.delivery;
  const controller = new AbortController();
  const { deltas, deltasBeforeEnd } = decodeCase(streamCase, [streamCase.body]);
  const expected = deltas.slice(0, deltasBeforeEnd).reduce((sum, delta) => sum + delta.text.length, 0);
  let received = 0;
  const simulator = await createSimulator({ casesDir: streamCase.folder });
  onTestFinished(() => simulator.close());
  // Without any text there is nothing to wait for but the bytes themselves.
  if (end === 'client_abort' && expected === 0) setTimeout(() => controller.abort(), SHORT_MS);
  const limitMs = end === 'stall' || end === 'keepalive_forever' ? SHORT_MS : 20_000;
  const timeouts = { firstPayloadMs: limitMs, idleMs: limitMs, totalMs: 20_000 };
  const target = targetAt(simulator.url, {
    ...streamCase.target,
    timeouts,
    config: { api: streamCase.api, model: `${recordedModelPrefix}${streamCase.id}` },
  });
  return stream(target, {
    signal: controller.signal,
    onDelta: (delta) => {
      received += delta.text.length;
      if (end === 'client_abort' && received >= expected) controller.abort();
    },
  });
}

describe('the recorded streams', { timeout: 180_000 }, () => {
  it.each(cases.map((streamCase) => [streamCase.id, streamCase] as const))(
    '%s is read as expected over HTTP',
    async (_id, streamCase) => {
      expect(inCaseWords(await readOverHttp(streamCase))).toEqual(expectation(streamCase));
    },
  );

  it.each(cases.map((streamCase) => [streamCase.id, streamCase] as const))(
    '%s is read as expected however its bytes are cut',
    (_id, streamCase) => {
      const { body } = streamCase;
      const expected = expectation(streamCase);
      // A cut at every byte is quadratic in the body: of one over 63 kB as many cuts are tried as read 4 GB in all.
      const stride = Math.max(1, Math.ceil(body.length ** 2 / 4e9));
      for (let cut = 0; cut <= body.length; cut += stride) {
        const { reply } = decodeCase(streamCase, cutAt(body, [cut]));
        expect(inCaseWords(reply), `cut at byte ${cut}`).toEqual(expected);
      }
      const bytes = [...body].map((byte) => Buffer.from([byte]));
      expect(inCaseWords(decodeCase(streamCase, bytes).reply)).toEqual(expected);
    },
  );
});
