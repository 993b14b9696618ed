/** A KubeClient whose writes fail on purpose: the crash matrix covers every write of a trace. */
import { MillraceError } from '#shared/domain/errors.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { KubeClient } from '#shared/kube/client.ts';

/**
 * The fault of a write. `crash`: the process ends there, and this client does nothing more.
 * `replyLost`: it was applied, but the answer was lost. Others: the server answers so, and applies
 * nothing.
 */
export const faultKinds = [
  'crashBefore',
  'crashAfter',
  'replyLost',
  'conflict',
  'tooManyRequests',
  'internalError',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Replaces the end of the process; no code may handle it. */
export class Crashed extends Error {
  override readonly name = 'Crashed';
}

export interface FaultPlan {
  /** The write to fail: its number from 1, or the first one that matches, given those before it. */
  readonly write: number | ((write: SeenWrite, before: readonly SeenWrite[]) => boolean);
  readonly fault: FaultKind;
  /** For the 429, in milliseconds. Default 10. */
  readonly retryAfterMs?: number;
}

/** One requested write, even if it was blocked. */
export interface SeenWrite {
  readonly verb: 'create' | 'patch' | 'delete';
  readonly plural: string;
  readonly name: string;
  /** The object or the patch. */
  readonly content?: unknown;
}

export class FaultyClient implements KubeClient {
  /** Every requested write, in order. */
  readonly writes: SeenWrite[] = [];
  /** The number of times that the fault struck. If it is 0 at the end, nothing was tested. */
  fired = 0;
  readonly #client: KubeClient;
  readonly #plan: FaultPlan | undefined;
  readonly #struck = Promise.withResolvers<undefined>();
  #crashed = false;

  /** Without a plan it only counts. */
  constructor(client: KubeClient, plan?: FaultPlan) {
    this.#client = client;
    this.#plan = plan;
  }

  get crashed(): boolean {
    return this.#crashed;
  }

  /** Fulfils when the fault has struck. After a crash nothing is written any more. */
  get whenFired(): Promise<undefined> {
    return this.#struck.promise;
  }

  readonly get: KubeClient['get'] = (...args) => {
    this.#assertAlive();
    return this.#client.get(...args);
  };

  readonly list: KubeClient['list'] = (...args) => {
    this.#assertAlive();
    return this.#client.list(...args);
  };

  readonly watch: KubeClient['watch'] = (...args) => {
    this.#assertAlive();
    return this.#client.watch(...args);
  };

  readonly discover: KubeClient['discover'] = (...args) => {
    this.#assertAlive();
    return this.#client.discover(...args);
  };

  readonly review: KubeClient['review'] = (...args) => {
    this.#assertAlive();
    return this.#client.review(...args);
  };

  readonly create: KubeClient['create'] = (resource, object, options) =>
    this.#write(
      { verb: 'create', plural: resource.plural, name: object.metadata.name, content: object },
      () => this.#client.create(resource, object, options),
    );

  readonly patch: KubeClient['patch'] = (resource, name, patch, options) =>
    this.#write({ verb: 'patch', plural: resource.plural, name: name.name, content: patch }, () =>
      this.#client.patch(resource, name, patch, options),
    );

  readonly delete: KubeClient['delete'] = (resource, name, options) =>
    this.#write({ verb: 'delete', plural: resource.plural, name: name.name }, () =>
      this.#client.delete(resource, name, options),
    );

  async #write<T extends KubeObject | undefined>(
    seen: SeenWrite,
    send: () => Promise<T>,
  ): Promise<T> {
    this.#assertAlive();
    const plan = this.#plan;
    const strikes = plan !== undefined && this.fired === 0 && this.#isMeant(seen, plan);
    this.writes.push(seen);
    if (!strikes) return send();
    this.fired += 1;
    try {
      return await this.#strike(plan, seen, send);
    } finally {
      this.#struck.resolve(undefined);
    }
  }

  async #strike<T>(
    { fault, retryAfterMs = 10 }: FaultPlan,
    seen: SeenWrite,
    send: () => Promise<T>,
  ): Promise<T> {
    switch (fault) {
      case 'crashBefore':
        throw this.#crash();
      case 'crashAfter':
        await send();
        throw this.#crash();
      case 'replyLost':
        await send();
        throw new MillraceError('MR_API_UNREACHABLE', {
          ...labelOf(seen),
          detail: 'reply lost on purpose',
        });
      case 'conflict':
        throw answer('MR_API_CONFLICT', seen, 409, 'Conflict');
      case 'tooManyRequests':
        throw answer('MR_API_RETRYABLE', seen, 429, 'TooManyRequests', retryAfterMs);
      case 'internalError':
        throw answer('MR_API_RETRYABLE', seen, 500, 'InternalError');
    }
  }

  #isMeant(seen: SeenWrite, { write }: FaultPlan): boolean {
    return typeof write === 'number' ? this.writes.length + 1 === write : write(seen, this.writes);
  }

  #crash(): Crashed {
    this.#crashed = true;
    return new Crashed('the process ended here');
  }

  #assertAlive(): void {
    if (this.#crashed) throw new Crashed('the process has ended before');
  }
}

function labelOf(seen: SeenWrite): { verb: string; path: string } {
  return { verb: seen.verb, path: `${seen.plural}/${seen.name}` };
}

function answer(
  code: 'MR_API_CONFLICT' | 'MR_API_RETRYABLE',
  seen: SeenWrite,
  status: number,
  reason: string,
  retryAfterMs?: number,
): MillraceError {
  const fields = { ...labelOf(seen), status, reason, detail: 'on purpose' };
  return new MillraceError(code, fields, retryAfterMs === undefined ? {} : { retryAfterMs });
}
