import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createRedis, redisOptionsFromUrl, type RedisClient } from '../../../shared/redis/connection.ts';
import { PushReceiver } from '../../../shared/redis/push-receiver.ts';
import type { Push } from '../../../shared/schemas/push.ts';
import { ownRedis, testRedis } from '../../support/redis.ts';

const about = { sweep: 's', place: 1, epoch: 1 };
const ended: Push = { type: 'steps-ended', ...about, steps: 3 };

interface Heard {
  readonly pushes: Push[];
  gaps: number;
  onEvent: () => void;
  /** Resolves when something new was heard. */
  readonly next: () => Promise<void>;
}

function createHeard(): Heard {
  const heard: Heard = {
    pushes: [],
    gaps: 0,
    onEvent: () => undefined,
    next: () => new Promise((resolve) => (heard.onEvent = resolve)),
  };
  return heard;
}

function listenerOf(heard: Heard) {
  return {
    onPush: (push: Push) => {
      heard.pushes.push(push);
      heard.onEvent();
    },
    onGap: () => {
      heard.gaps += 1;
      heard.onEvent();
    },
  };
}

async function createReceiver(
  url: string,
  channel: string,
): Promise<{ receiver: PushReceiver; redis: RedisClient }> {
  const redis = createRedis(redisOptionsFromUrl(url), 'subscriber');
  const receiver = await PushReceiver.create(redis, channel);
  onTestFinished(() => receiver.close());
  return { receiver, redis };
}

test('a push reaches the listener of its epoch and no other', async () => {
  const { url, prefix, redis } = testRedis();
  const { receiver } = await createReceiver(url, prefix);
  const [mine, ...others] = [
    about,
    { ...about, epoch: 2 },
    { ...about, place: 2 },
    { ...about, sweep: 't' },
  ].map((key) => {
    const heard = createHeard();
    receiver.listen(key, listenerOf(heard));
    return heard;
  });
  const heard = mine?.next();
  await redis.publish(prefix, JSON.stringify(ended));
  await heard;
  expect(mine?.pushes).toEqual([ended]);
  expect(others.flatMap(({ pushes }) => pushes)).toEqual([]);
});

test('what does not fit, or has no listener, is dropped, and what follows is heard', async () => {
  const { url, prefix, redis } = testRedis();
  const { receiver } = await createReceiver(url, prefix);
  const heard = createHeard();
  receiver.listen(about, listenerOf(heard));
  const next = heard.next();
  for (const message of [
    '',
    'no JSON',
    'null',
    '{"type":"unknown"}',
    JSON.stringify({ ...ended, steps: -1 }),
  ]) {
    await redis.publish(prefix, message);
  }
  await redis.publish(prefix, JSON.stringify({ ...ended, epoch: 9 }));
  await redis.publish(prefix, JSON.stringify(ended));
  await next;
  expect(heard.pushes).toEqual([ended]);
});

test('one who stops listening hears no more, and leaves a later listener alone', async () => {
  const { url, prefix, redis } = testRedis();
  const { receiver } = await createReceiver(url, prefix);
  const earlier = createHeard();
  const later = createHeard();
  const stopEarlier = receiver.listen(about, listenerOf(earlier));
  receiver.listen(about, listenerOf(later));
  stopEarlier();
  const next = later.next();
  await redis.publish(prefix, JSON.stringify(ended));
  await next;
  expect([earlier.pushes.length, later.pushes.length]).toEqual([0, 1]);
});

/** A way to Redis on which a subscription takes a while to arrive. Answers its URL. */
async function slowToSubscribe(url: string, delayMs: number): Promise<string> {
  const target = redisOptionsFromUrl(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const redis = connect(target.port ?? 0, target.host ?? '');
    for (const socket of [client, redis]) {
      sockets.add(socket.on('error', () => socket.destroy()));
      socket.on('close', () => [client, redis].forEach((one) => one.destroy()));
    }
    let dueAtMs = 0;
    const held: Buffer[] = [];
    client.on('data', (bytes) => {
      if (bytes.includes('subscribe')) dueAtMs = performance.now() + delayMs;
      held.push(bytes);
      // The oldest: timers of unlike length may end in another order.
      setTimeout(() => redis.write(held.shift() ?? ''), dueAtMs - performance.now());
    });
    redis.pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return `redis://127.0.0.1:${String(address.port)}`;
}

test('after a broken connection every listener is told of the gap, once it hears again', async () => {
  const { url, prefix, redis } = testRedis();
  const { receiver, redis: subscriber } = await createReceiver(await slowToSubscribe(url, 50), prefix);
  const one = createHeard();
  const other = createHeard();
  receiver.listen(about, listenerOf(one));
  receiver.listen({ ...about, place: 2 }, listenerOf(other));
  expect([one.gaps, other.gaps]).toEqual([0, 0]);
  for (let round = 1; round <= 3; round += 1) {
    const gap = one.next();
    subscriber.disconnect(true);
    await gap;
    // Told of the gap it reads the truth; whatever is pushed from then on must arrive.
    const push = one.next();
    expect(await redis.publish(prefix, JSON.stringify(ended))).toBe(1);
    await push;
    expect([one.gaps, other.gaps, one.pushes.length]).toEqual([round, round, round]);
  }
});

test('it closes at once while Redis is away', async () => {
  const server = await ownRedis();
  const { receiver, redis } = await createReceiver(server.url, 'channel');
  const lost = once(redis, 'close');
  await server.stop();
  await lost;
  await expect(receiver.close()).resolves.toBeUndefined();
});
