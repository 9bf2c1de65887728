import { Redis } from 'ioredis';

type Send = Parameters<Redis['sendCommand']>;

/**
 * A connection whose commands of one turn of the event loop go out in one write, at its end: a write costs more than
 * most commands. Order and replies are as ever.
 */
export class GatheringRedis extends Redis {
  override sendCommand(...[command, stream]: Send): unknown {
    if (stream === undefined && this.status === 'ready') gatherWrites(this.stream);
    return super.sendCommand(command, stream);
  }
}

function gatherWrites(stream: Redis['stream']): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
