/** The API of the sandbox behind its HTTP front: every verb on every type, in one place. */
import type { Clock, Random } from '#shared/domain/clock.ts';
import type { TypeRegistry } from '../registry/type-registry.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { ApiAnswer, WatchLine } from './api-answer.ts';
import type { ApiCall, Warn } from './api-call.ts';
import { StatusError } from './status-error.ts';

export interface ApiOptions {
  readonly store: ObjectStore;
  readonly types: TypeRegistry;
  readonly clock: Clock;
  readonly random: Random;
}

export class SandboxApi {
  readonly store: ObjectStore;
  readonly types: TypeRegistry;
  readonly clock: Clock;
  readonly random: Random;

  constructor({ store, types, clock, random }: ApiOptions) {
    this.store = store;
    this.types = types;
    this.clock = clock;
    this.random = random;
  }

  /** Answers any call but a watch, with the webhooks that concern it. Throws StatusError. */
  async handle(call: ApiCall, warn?: Warn): Promise<ApiAnswer> {
    return this.handleNow(call, warn);
  }

  /** As `handle`, for calls that no webhook concerns: others throw StatusError 500. */
  handleNow(call: ApiCall, _warn?: Warn): ApiAnswer {
    throw new StatusError(501, 'NotImplemented', `the sandbox does not answer ${call.verb} yet`);
  }

  /**
   * Calls `onLine` for what happens from the resourceVersion on, first for the past, before it
   * returns. The caller ends it by what is returned, also for `timeoutSeconds`. Throws StatusError,
   * 410 when the history does not reach back to the resourceVersion.
   */
  watch(call: ApiCall, _onLine: (line: WatchLine) => void): () => void {
    throw new StatusError(501, 'NotImplemented', `the sandbox does not answer ${call.verb} yet`);
  }

  /** A bookmark for each watch that allows them; the real server sends one about every minute. */
  sendBookmarks(): void {
    // no watches yet
  }
}
