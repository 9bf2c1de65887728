/**
 * The monitor model of the scale-out benchmark, a process of its own: every call takes 500 ms. Not the simulator: it
 * reads what it is asked, and at 320 calls a second that takes half a core of the two that monitors need. Sends its URL.
 */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , judgeMs = '500'] = process.argv;
const verdict = JSON.stringify({
  ...{ error_detected: false, error_type: 'NO_ERROR', confidence: 0.9 },
  ...{ error_location: '', error_explanation: '' },
});
const chunk = (choices: readonly object[], more: object = {}): string =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices, ...more })}\n\n`;
const reply = [
  chunk([{ index: 0, delta: { role: 'assistant', content: verdict }, finish_reason: null }]),
  chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
  chunk([], { usage: { prompt_tokens: 1_000, completion_tokens: 40 } }),
  'data: [DONE]\n\n',
].join('');

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    void sleep(Number(judgeMs)).then(() => {
      response
        .writeHead(200, { 'content-type': 'text/event-stream', 'x-haltline-simulated': '1' })
        .end(reply);
    });
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) process.send?.(`http://127.0.0.1:${address.port}/v1`);
});
