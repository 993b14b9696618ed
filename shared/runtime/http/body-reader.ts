import type { IncomingMessage } from 'node:http';
import { RequestRefused } from './request-refused.ts';
import type { ServiceLimits } from './service-limits.ts';

export type BodyLimits = Pick<ServiceLimits, 'bodyBytes' | 'bodyTimeoutMs' | 'maxBodies'>;

/**
 * Reads bodies: so many at once, each with a size and a time limit. At the limit, the body that has been
 * read longest is given up. A real sender has sent everything within milliseconds, and a slow one is
 * always the oldest. So slow senders cost bounded memory and take no other sender's turn.
 */
export class BodyReader {
  readonly #limits: BodyLimits;
  /** Gives up a body that is being read, oldest first. */
  readonly #underWay = new Set<(fault: Error) => void>();

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** The raw bytes; nothing is decompressed. Rejects with {@link RequestRefused}: 408, 413, 415. */
  async read(message: IncomingMessage): Promise<Buffer> {
    const { bodyBytes, bodyTimeoutMs } = this.#limits;
    requireIdentity(message.headers['content-encoding']);
    if (Number(message.headers['content-length'] ?? 0) > bodyBytes) throw tooLarge(bodyBytes);
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    this.#giveWay();
    this.#underWay.add(reject);
    const timer = setTimeout(() => reject(tooSlow(`within ${bodyTimeoutMs} ms`)), bodyTimeoutMs);
    const stop = collect(message, bodyBytes, { resolve, reject });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#underWay.delete(reject);
      stop();
    }
  }

  #giveWay(): void {
    if (this.#underWay.size < this.#limits.maxBodies) return;
    const [oldest] = this.#underWay;
    oldest?.(tooSlow('when too many others came'));
    if (oldest !== undefined) this.#underWay.delete(oldest);
  }
}

interface Settled {
  readonly resolve: (body: Buffer) => void;
  readonly reject: (fault: Error) => void;
}

/** Returns a function that stops collecting. */
function collect(message: IncomingMessage, limit: number, { resolve, reject }: Settled) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const keep = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > limit) reject(tooLarge(limit));
    else chunks.push(chunk);
  };
  message.on('data', keep);
  message.once('end', () => resolve(Buffer.concat(chunks, bytes)));
  message.once('error', reject);
  message.once('close', () => reject(new RequestRefused(400, 'Cut Off', 'the sender left')));
  return (): void => void message.off('data', keep);
}

/** A small compressed body can expand to any size, and no sender needs it. */
function requireIdentity(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
  throw new RequestRefused(415, 'Compressed', 'bodies are taken as they are, not compressed');
}

function tooLarge(limit: number): RequestRefused {
  return new RequestRefused(413, 'Too Large', `the body has more than ${limit} bytes`);
}

function tooSlow(when: string): RequestRefused {
  return new RequestRefused(408, 'Too Slow', `the body was not complete ${when}`);
}
