/**
 * The monitor model of the scale-out benchmark, a process of its own: every call takes 500 ms. Neither the simulator,
 * which reads what it is asked, nor node:http: at 320 calls a second each would take a good part of the two cores that
 * monitors need. It looks for the length of a body and for nothing else. Sends its URL.
 */
import { createServer, type Socket } from 'node:net';

const [, , judgeMs = '500'] = process.argv;
const verdict = JSON.stringify({
  ...{ error_detected: false, error_type: 'NO_ERROR', confidence: 0.9 },
  ...{ error_location: '', error_explanation: '' },
});
const chunk = (choices: readonly object[], more: object = {}): string =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices, ...more })}\n\n`;
const body = [
  chunk([{ index: 0, delta: { role: 'assistant', content: verdict }, finish_reason: null }]),
  chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
  chunk([], { usage: { prompt_tokens: 1_000, completion_tokens: 40 } }),
  'data: [DONE]\n\n',
].join('');
const reply = Buffer.from(
  [
    'HTTP/1.1 200 OK',
    'content-type: text/event-stream',
    'x-haltline-simulated: 1',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: keep-alive',
    `\r\n${body}`,
  ].join('\r\n'),
);
const HEAD_END = Buffer.from('\r\n\r\n');

/** One request after the other on each connection, as node:http sends them. */
function serve(socket: Socket): void {
  let received = Buffer.alloc(0);
  let missing = Infinity;
  const answer = (): void => void socket.write(reply);
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => {
    if (missing === Infinity) {
      received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
      missing = bytesMissing(received);
    } else {
      missing -= bytes.length;
    }
    if (missing > 0) return;
    received = Buffer.alloc(0);
    missing = Infinity;
    setTimeout(answer, Number(judgeMs));
  });
}

/** Of a request whose first bytes these are; Infinity while its head is not whole. */
function bytesMissing(bytes: Buffer): number {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return Infinity;
  const length = /^content-length: *(\d+)/im.exec(bytes.toString('latin1', 0, headEnd))?.[1];
  return headEnd + HEAD_END.length + Number(length) - bytes.length;
}

const server = createServer({ noDelay: true }, serve);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) process.send?.(`http://127.0.0.1:${address.port}/v1`);
});
