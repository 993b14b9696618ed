import { Redis } from 'ioredis';

/**
 * A client that hands the kernel what was asked of it in one turn of the event loop in one piece: a write
 * for each command was a sixth of all time that `millrace run` computed under load. Nothing waits longer
 * than until the answers that have arrived already are read.
 */
export class CoalescingRedis extends Redis {
  #isCorked = false;

  override sendCommand(...asked: Parameters<Redis['sendCommand']>): unknown {
    // Its type does not say that there is none before it connects.
    const stream = this.stream as Redis['stream'] | undefined;
    if (!this.#isCorked && stream?.writable === true) {
      this.#isCorked = true;
      stream.cork();
      setImmediate(() => {
        this.#isCorked = false;
        stream.uncork();
      });
    }
    return super.sendCommand(...asked);
  }
}
