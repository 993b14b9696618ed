/** The API of the sandbox behind its HTTP front: every verb on every type, in one place. */
import type { Clock, Random } from '#shared/domain/clock.ts';
import type { TypeRegistry } from '../registry/type-registry.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { type Permits, permitsEverything } from './access.ts';
import type { AdmissionStep, AdmissionSteps } from './admission-step.ts';
import type { ApiAnswer, WatchLine } from './api-answer.ts';
import type { ApiCall, Warn } from './api-call.ts';
import { serveDefinitions } from './definitions.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import { answer } from './verbs.ts';
import { Policies } from './policies.ts';
import { Watches } from './watches.ts';
import { Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

export interface ApiOptions {
  readonly store: ObjectStore;
  readonly types: TypeRegistry;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether writes keep managedFields. Default true. Without them server-side apply sees no conflicts. */
  readonly tracksFieldOwners?: boolean;
  /** Answers reviews of access. Default: every user may do everything. */
  readonly permits?: Permits;
}

/** The state of a call: its answer, or a step for which webhooks must be asked. */
export type Progress =
  | { readonly kind: 'answered'; readonly answer: ApiAnswer }
  | {
      readonly kind: 'waiting';
      readonly step: AdmissionStep;
      /** Never rejects. Its result continues the call, and throws if a webhook failed or refused. */
      readonly ask: () => Promise<() => Progress>;
    };

export class SandboxApi {
  readonly store: ObjectStore;
  readonly types: TypeRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly permits: Permits;
  readonly #world: World;
  readonly #watches: Watches;
  readonly #policies: Policies;
  readonly #webhooks: Webhooks;

  constructor(options: ApiOptions) {
    const { store, types, clock, random, tracksFieldOwners = true } = options;
    this.permits = options.permits ?? permitsEverything;
    this.store = store;
    this.types = types;
    this.clock = clock;
    this.random = random;
    const { permits } = this;
    this.#world = { store, types, clock, random, tracksFieldOwners, permits };
    this.#watches = new Watches(this.#world);
    this.#policies = new Policies(this.#world);
    this.#webhooks = new Webhooks(this.#world);
    serveDefinitions(this.#world);
  }

  /** Answers any call but a watch, with the webhooks that concern it. Throws StatusError. */
  async handle(call: ApiCall, warn?: Warn): Promise<ApiAnswer> {
    let progress = this.begin(call, warn);
    while (progress.kind === 'waiting') progress = (await progress.ask())();
    return progress.answer;
  }

  /** As `handle`, for calls without webhooks. Throws StatusError 500 if a webhook selects the call. */
  handleNow(call: ApiCall, warn?: Warn): ApiAnswer {
    const progress = this.begin(call, warn);
    if (progress.kind === 'answered') return progress.answer;
    const { operation } = progress.step;
    const what = `${operation} of ${call.type.plural}`;
    const message = `a webhook concerns this ${what}, which a synchronous call cannot ask`;
    throw new StatusError(500, 'InternalError', message);
  }

  /** Runs a call until its answer or its first webhook. Throws StatusError. */
  begin(call: ApiCall, warn?: Warn): Progress {
    const steps = answer(this.#world, call, warn);
    return this.#proceed(steps, steps.next(), warn);
  }

  /**
   * Calls `onLine` for each change since the resourceVersion. Past changes are passed before this returns. The caller
   * ends the watch with the returned function, also for `timeoutSeconds`. Throws StatusError, with 410 if the history
   * does not reach back to the resourceVersion.
   */
  watch(call: ApiCall, onLine: (line: WatchLine) => void): () => void {
    return this.#watches.open(call, onLine);
  }

  /** Sends a bookmark to each watch that allows them. The real server sends one about every minute. */
  sendBookmarks(): void {
    this.#watches.sendBookmarks();
  }

  #proceed(
    steps: AdmissionSteps<ApiAnswer>,
    first: ReturnType<typeof steps.next>,
    warn?: Warn,
  ): Progress {
    let next = first;
    while (next.done !== true) {
      const step = next.value;
      this.#policies.judge(step, warn);
      if (this.#webhooks.concern(step)) return this.#waiting(steps, step, warn);
      next = steps.next(step.object);
    }
    return { kind: 'answered', answer: next.value };
  }

  #waiting(
    steps: AdmissionSteps<ApiAnswer>,
    step: AdmissionStep,
    warn: Warn | undefined,
  ): Progress {
    const ask = async (): Promise<() => Progress> => {
      try {
        const object = await this.#webhooks.review(step, warn);
        return () => this.#proceed(steps, steps.next(object), warn);
      } catch (error) {
        return () => {
          throw error;
        };
      }
    };
    return { kind: 'waiting', step, ask };
  }
}
