/**
 * A connection that blocks for the next job and can be stopped.
 *
 * Closing it would do that too, but whatever the server hands to it at that moment would be lost:
 * a wake-up is taken out of the store when it is read. CLIENT UNBLOCK decides on the server: the
 * wait has ended with a wake-up or without one, and the connection learns which.
 */
import type { Redis } from 'ioredis';

/** The connections, as far as they are used here. */
export type BlockingRedis = Pick<Redis, 'on'> & { client(subcommand: 'ID'): Promise<number> };
export type UnblockingRedis = Pick<Redis, 'client'>;

export class BlockedConnection {
  readonly #blocking: Promise<BlockingRedis>;
  #id: number | undefined;

  /** `blocking` resolves when the connection is there; it may reject. */
  constructor(blocking: Promise<BlockingRedis>) {
    this.#blocking = blocking;
    blocking.then(
      (connection) => connection.on('close', () => (this.#id = undefined)),
      () => undefined,
    );
  }

  /** To be called before it blocks: a blocked connection cannot be asked. Never rejects. */
  async identify(): Promise<void> {
    if (this.#id !== undefined) return;
    try {
      this.#id = await (await this.#blocking).client('ID');
    } catch {
      // Not connected, or the server does not permit it: closing has to wait for the fetch then.
    }
  }

  /** Ends the wait, if it waits; `over` is any other connection. Never rejects. */
  async unblock(over: UnblockingRedis): Promise<void> {
    if (this.#id === undefined) return;
    await over.client('UNBLOCK', this.#id).catch(() => undefined);
  }
}
