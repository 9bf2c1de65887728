import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Random } from '../../shared/core/random.ts';

/**
 * A proxy in front of Redis that holds every reply back for a random while, in order, except on connections that
 * subscribe: so a push overtakes the reply of a call that was made before it. Answers its port.
 */
export async function holdReplies(redisPort: number, random: Random, maxHoldMs: number): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const redis = connect(redisPort, '127.0.0.1');
    for (const socket of [client, redis]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => [client, redis].forEach((one) => one.destroy()));
    }
    let subscribes = false;
    client.on('data', (bytes) => {
      subscribes ||= bytes.toString('latin1').toLowerCase().includes('subscribe');
      redis.write(bytes);
    });
    let dueAtMs = 0;
    const held: Buffer[] = [];
    redis.on('data', (bytes) => {
      if (subscribes) return void client.write(bytes);
      dueAtMs = Math.max(dueAtMs, performance.now() + random.next() * maxHoldMs);
      held.push(bytes);
      // The oldest, not these bytes: under load two timers may end in the other order, and replies would be swapped.
      setTimeout(() => client.write(held.shift() ?? ''), dueAtMs - performance.now());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return address.port;
}
