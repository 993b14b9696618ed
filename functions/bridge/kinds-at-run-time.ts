/**
 * Follows children of kinds that objects name (`follows` of a subscription). It starts with the first
 * object that names a kind, and stops some time after the last one has gone.
 *
 * kinds-1 Kinds that are declared in a subscription are not followed here.
 * kinds-2 The number of kinds is limited. For others, and until the first list of a kind is complete,
 *    functions ask the API server, and the sweep wakes them.
 * kinds-3 A kind that the API server does not serve, or no longer serves, is no failure: it is asked for
 *    again, at growing intervals.
 * kinds-4 A kind is released only after two checks in a row found no object that names it.
 * kinds-5 After the first complete list of a kind, the unfinished objects that name it are woken: no event
 *    reports a child that went before that list.
 */
import type { WaitingClock } from '#shared/domain/clock.ts';
import type { KindName } from '#shared/domain/kind-name.ts';
import { labels } from '#shared/domain/labels.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { underEither } from '#shared/domain/under-either.ts';
import type { Change } from '#shared/kube/reflector-options.ts';
import type { ResourceOf } from '#shared/kube/served-kinds.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import type { FollowedKinds, Subscription, Watch } from '#shared/subscription/subscription.ts';
import type { BridgeViews } from './views.ts';
import type { Watched } from './watch-set.ts';

export interface KindsAtRunTimeOptions {
  readonly subscriptions: readonly Subscription[];
  readonly views: Pick<BridgeViews, 'of' | 'follow' | 'letGo' | 'seenBy'>;
  readonly resourceOf: ResourceOf;
  /** Resolves when the signal aborts. */
  readonly follow: (watched: Watched, signal: AbortSignal) => Promise<void>;
  /** Wakes the function for these objects. Rejects if the queue does not accept the items. */
  readonly wake: (
    subscription: Subscription,
    decided: Resource,
    objects: readonly KubeObject[],
  ) => Promise<void>;
  readonly clock: WaitingClock;
  readonly logger: Pick<Logger, 'info' | 'debug'>;
}

/** Limit for followed kinds (kinds-2). */
const mostKinds = 32;
/** Interval between two checks of what is still named (kinds-4), milliseconds. */
const lookMs = 60_000;
/** Minimum wait before an unknown kind is asked for again, milliseconds. */
const askAgainMs = 5_000;

interface Followed {
  readonly resource: Resource;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  isListed: boolean;
  /** Checks in a row that found no object that names the kind. */
  unnamed: number;
}

type Following = Subscription & { readonly follows: FollowedKinds };

export class KindsAtRunTime {
  readonly #options: KindsAtRunTimeOptions;
  readonly #following: readonly Following[];
  readonly #followed = new Map<string, Followed>();
  /** When a kind was last asked for that is not followed. */
  readonly #askedAtMs = new Map<string, number>();
  #signal: AbortSignal | undefined;

  constructor(options: KindsAtRunTimeOptions) {
    this.#options = options;
    this.#following = options.subscriptions.filter(
      (each): each is Following => each.follows !== undefined,
    );
  }

  /** The resources that are followed now. */
  get resources(): readonly Resource[] {
    return [...this.#followed.values()].map(({ resource }) => resource);
  }

  /** Releases unnamed kinds until `signal` aborts, then all kinds. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const { subscription, object } of this.#named()) this.#begin(subscription, object);
    await this.#lookUntil(signal);
    await Promise.all([...this.#followed.values()].map(({ ended }) => ended));
  }

  async #lookUntil(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#options.clock.sleep(lookMs, signal);
      if (signal.aborted) return;
      this.#look();
    }
  }

  /** Call this with each change of objects that functions decide about, in order. */
  changed(resource: Resource, changes: readonly Change[]): void {
    const concerned = this.#following.filter(({ decides }) => decides.includes(resource));
    for (const { type, object } of changes) {
      if (type !== 'changed') continue;
      for (const subscription of concerned) this.#begin(subscription, object);
    }
  }

  /**
   * Call this when a resource has been listed and published completely. Resolves when the queue has
   * accepted the wakes, or does not answer: then the sweep makes up for them.
   */
  async listed(resource: Resource): Promise<void> {
    const [key, followed] =
      [...this.#followed].find(([, each]) => each.resource === resource) ?? [];
    if (key === undefined || followed?.isListed !== false) return;
    followed.isListed = true;
    const { clock, logger, views, wake } = this.#options;
    const nowMs = clock.now();
    for (const subscription of this.#following) {
      const seen = views.seenBy(subscription);
      const concerns = (object: KubeObject): boolean =>
        subscription.follows.kindsOf(object).some((kind) => keyOf(kind) === key) &&
        subscription.isUnfinished(object, seen, nowMs);
      for (const decided of subscription.decides) {
        const objects = [...seen.list(decided)].filter(concerns);
        // The adapters log the outage itself.
        await wake(subscription, decided, objects).catch((error: unknown) =>
          logger.debug({ err: error }, 'wake put off until the sweep'),
        );
      }
    }
  }

  #begin(subscription: Following, object: KubeObject): void {
    const { clock } = this.#options;
    for (const kind of subscription.follows.kindsOf(object)) {
      const key = keyOf(kind);
      const askedAtMs = this.#askedAtMs.get(key) ?? -Infinity;
      if (this.#followed.has(key) || clock.monotonicMs() - askedAtMs < askAgainMs) continue;
      this.#askedAtMs.set(key, clock.monotonicMs());
      void this.#lookUp(subscription, kind);
    }
  }

  /** A lookup that fails is repeated with the next change. */
  async #lookUp(subscription: Following, kind: KindName): Promise<void> {
    const { resourceOf, views, follow, logger } = this.#options;
    const resource = await resourceOf(kind).catch(() => undefined);
    const signal = this.#signal;
    const isFollowed = resource === undefined || views.of(resource) !== undefined;
    if (isFollowed || signal === undefined || signal.aborted) return;
    if (!resource.namespaced || this.#followed.size >= mostKinds) return;
    const watched = watchedAs(resource, subscription);
    const stop = new AbortController();
    views.follow(watched);
    logger.info({ kind: kind.kind, apiVersion: kind.apiVersion }, 'follows a kind');
    const ended = underEither([signal, stop.signal], (either) => follow(watched, either));
    this.#followed.set(keyOf(kind), { resource, stop, ended, isListed: false, unnamed: 0 });
  }

  #look(): void {
    const named = new Set(
      this.#named().flatMap(({ subscription, object }) =>
        subscription.follows.kindsOf(object).map(keyOf),
      ),
    );
    for (const [key, followed] of this.#followed) {
      followed.unnamed = named.has(key) ? 0 : followed.unnamed + 1;
      if (followed.unnamed === 2) void this.#letGo(key, followed);
    }
  }

  /** The view is removed only after the reflector has ended, because the reflector uses it until then. */
  async #letGo(key: string, { resource, stop, ended }: Followed): Promise<void> {
    const { views, logger } = this.#options;
    stop.abort();
    await ended;
    views.letGo(resource);
    this.#followed.delete(key);
    this.#askedAtMs.delete(key);
    logger.info({ kind: resource.kind, group: resource.group }, 'follows a kind no more');
  }

  #named(): readonly { readonly subscription: Following; readonly object: KubeObject }[] {
    return this.#following.flatMap((subscription) => {
      const seen = this.#options.views.seenBy(subscription);
      const objects = subscription.decides.flatMap((decided) => [...seen.list(decided)]);
      return objects.map((object) => ({ subscription, object }));
    });
  }
}

function watchedAs(resource: Resource, subscription: Following): Watched {
  const { fingerprint, keep } = subscription.follows;
  const watch: Watch = { resource, only: 'children', leadsTo: 'controller', fingerprint, keep };
  return {
    resource,
    labelSelector: labels.ownerUid,
    widenedBy: [],
    neededBy: [],
    project: keep,
    watchers: [{ subscription, watch }],
  };
}

function keyOf({ apiVersion, kind }: KindName): string {
  return `${apiVersion} ${kind}`;
}
