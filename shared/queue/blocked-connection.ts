/**
 * A blocking connection that waits for the next job and can be stopped.
 *
 * Closing the connection would lose what the server sends at that moment: a wake-up is removed from
 * the store when it is read. CLIENT UNBLOCK is decided by the server: the wait ends with or without
 * a wake-up, and the connection learns which.
 */
import type { Redis } from 'ioredis';

/** The part of a connection that is used here. */
export type BlockingRedis = Pick<Redis, 'on'> & { client(subcommand: 'ID'): Promise<number> };
export type UnblockingRedis = Pick<Redis, 'client'>;

export class BlockedConnection {
  readonly #blocking: Promise<BlockingRedis>;
  #id: number | undefined;

  /** `blocking` resolves when the connection is open; it may reject. */
  constructor(blocking: Promise<BlockingRedis>) {
    this.#blocking = blocking;
    blocking.then(
      (connection) => connection.on('close', () => (this.#id = undefined)),
      () => undefined,
    );
  }

  /** Call it before blocking: a blocked connection takes no commands. Never rejects. */
  async identify(): Promise<void> {
    if (this.#id !== undefined) return;
    try {
      this.#id = await (await this.#blocking).client('ID');
    } catch {
      // Not connected, or not permitted by the server: closing then has to wait for the fetch.
    }
  }

  /** Ends a current wait. `over` is any other connection. Never rejects. */
  async unblock(over: UnblockingRedis): Promise<void> {
    if (this.#id === undefined) return;
    await over.client('UNBLOCK', this.#id).catch(() => undefined);
  }
}
