/** The API of the sandbox behind its HTTP front: every verb on every type, in one place. */
import type { Clock, Random } from '#shared/domain/clock.ts';
import type { TypeRegistry } from '../registry/type-registry.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { AdmissionStep } from './admission-step.ts';
import type { ApiAnswer, WatchLine } from './api-answer.ts';
import type { ApiCall, Warn } from './api-call.ts';
import { serveDefinitions } from './definitions.ts';
import { StatusError } from './status-error.ts';
import { answer } from './verbs.ts';
import { Watches } from './watches.ts';
import { Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

export interface ApiOptions {
  readonly store: ObjectStore;
  readonly types: TypeRegistry;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether writes keep managedFields. Default true; without them server-side apply sees no conflict. */
  readonly tracksFieldOwners?: boolean;
}

export class SandboxApi {
  readonly store: ObjectStore;
  readonly types: TypeRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly #world: World;
  readonly #watches: Watches;
  readonly #webhooks: Webhooks;

  constructor({ store, types, clock, random, tracksFieldOwners = true }: ApiOptions) {
    this.store = store;
    this.types = types;
    this.clock = clock;
    this.random = random;
    this.#world = { store, types, clock, random, tracksFieldOwners };
    this.#watches = new Watches(this.#world);
    this.#webhooks = new Webhooks(this.#world);
    serveDefinitions(this.#world);
  }

  /** Answers any call but a watch, with the webhooks that concern it. Throws StatusError. */
  async handle(call: ApiCall, warn?: Warn): Promise<ApiAnswer> {
    const flow = answer(this.#world, call, warn);
    let next = flow.next();
    while (next.done !== true) {
      const step = next.value;
      const object = this.#webhooks.concern(step)
        ? await this.#webhooks.review(step, warn)
        : step.object;
      next = flow.next(object);
    }
    return next.value;
  }

  /** As `handle`, for calls that no webhook concerns: others throw StatusError 500. */
  handleNow(call: ApiCall, warn?: Warn): ApiAnswer {
    const flow = answer(this.#world, call, warn);
    let next = flow.next();
    while (next.done !== true) {
      this.#checkNobodyIsAsked(next.value);
      next = flow.next(next.value.object);
    }
    return next.value;
  }

  /**
   * Calls `onLine` for what happens from the resourceVersion on, first for the past, before it
   * returns. The caller ends it by what is returned, also for `timeoutSeconds`. Throws StatusError,
   * 410 when the history does not reach back to the resourceVersion.
   */
  watch(call: ApiCall, onLine: (line: WatchLine) => void): () => void {
    return this.#watches.open(call, onLine);
  }

  /** A bookmark for each watch that allows them; the real server sends one about every minute. */
  sendBookmarks(): void {
    this.#watches.sendBookmarks();
  }

  #checkNobodyIsAsked(step: AdmissionStep): void {
    if (!this.#webhooks.concern(step)) return;
    const what = `${step.operation} of ${step.call.type.plural}`;
    const message = `a webhook concerns this ${what}, which a synchronous call cannot ask`;
    throw new StatusError(500, 'InternalError', message);
  }
}
