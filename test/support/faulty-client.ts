/** A KubeClient whose writes fail on purpose: the crash matrix walks over every write of a trace. */
import { MillraceError } from '#shared/domain/errors.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { KubeClient } from '#shared/kube/client.ts';

/**
 * What befalls a write. `crash`: the process ends there, so this client does nothing any more.
 * `replyLost`: it was applied and nobody was told. The rest: the server answers so, unapplied.
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

/** In place of the end of the process; no code may handle it. */
export class Crashed extends Error {
  override readonly name = 'Crashed';
}

export interface FaultPlan {
  /** 1 is the first write. */
  readonly write: number;
  readonly fault: FaultKind;
}

/** One write as it came in, also when it was not let through. */
export interface SeenWrite {
  readonly verb: 'create' | 'patch' | 'delete';
  readonly plural: string;
  readonly name: string;
}

export class FaultyClient implements KubeClient {
  /** Every write that was asked for, in order. */
  readonly writes: SeenWrite[] = [];
  /** How often the fault struck; 0 at the end of a test means that nothing was tested. */
  fired = 0;
  readonly #client: KubeClient;
  readonly #plan: FaultPlan | undefined;
  #crashed = false;

  /** Without a plan it only counts. */
  constructor(client: KubeClient, plan?: FaultPlan) {
    this.#client = client;
    this.#plan = plan;
  }

  get crashed(): boolean {
    return this.#crashed;
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

  readonly create: KubeClient['create'] = (resource, object, options) =>
    this.#write({ verb: 'create', plural: resource.plural, name: object.metadata.name }, () =>
      this.#client.create(resource, object, options),
    );

  readonly patch: KubeClient['patch'] = (resource, name, patch, options) =>
    this.#write({ verb: 'patch', plural: resource.plural, name: name.name }, () =>
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
    this.writes.push(seen);
    if (this.writes.length !== this.#plan?.write) return send();
    this.fired += 1;
    return this.#strike(this.#plan.fault, seen, send);
  }

  async #strike<T>(fault: FaultKind, seen: SeenWrite, send: () => Promise<T>): Promise<T> {
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
        throw answer('MR_API_RETRYABLE', seen, 429, 'TooManyRequests', 10);
      case 'internalError':
        throw answer('MR_API_RETRYABLE', seen, 500, 'InternalError');
    }
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
