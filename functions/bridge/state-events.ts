/**
 * Sends a CloudEvent to a sink for each change of the state of an object, or of a part of it. Each kind
 * declares its states (shared/api/published-states.ts).
 *
 * state-event-1 At least once: a state counts as sent when the sink has answered 2xx. A bridge that starts or
 *    takes over sends the states that it finds, under the same ids.
 * state-event-2 The states of one object are sent in order and before its deletion. Those of different objects do
 *    not wait for each other.
 * state-event-3 An unreachable sink delays nothing else, because separate watches serve these events. Nothing more
 *    is read until an event is accepted; then the state of that moment is sent. Memory holds one line
 *    for each existing state.
 * state-event-4 An event that the sink calls invalid is dropped, counted and logged. It would block all others.
 */
import type { Registry } from 'prom-client';
import type { KindDefinition } from '#shared/api/kind-definition.ts';
import type { PublishedState, PublishedStates } from '#shared/api/published-states.ts';
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import { hasCode, MillraceError } from '#shared/domain/errors.ts';
import type { KubeObject, Resource, Uid } from '#shared/domain/objects.ts';
import { fromEventReference } from '#shared/events/change-event.ts';
import type { CloudEvent } from '#shared/events/cloud-event.ts';
import { stateEvent } from '#shared/events/state-event.ts';
import { eachBounded } from '#shared/kube/bounded.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { Reflector } from '#shared/kube/reflector.ts';
import type { Change, ReflectorFailure, ReflectorTimes } from '#shared/kube/reflector-options.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import { concurrentEvents, type EventPost, type Refusal } from './event-post.ts';
import { createStateEventMetrics, type StateEventMetrics } from './state-event-metrics.ts';
import { sourceOf, translate } from './translate.ts';

export interface StateEventsOptions {
  /** Kinds that declare no states are skipped. */
  readonly kinds: readonly KindDefinition[];
  readonly post: Pick<EventPost, 'send'>;
  readonly client: KubeClient;
  readonly clusterUid: string;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'debug'>;
  readonly metrics: Registry;
  readonly clock: WaitingClock;
  readonly random: Random;
  /** The only namespace to report about. Absent: all namespaces. */
  readonly namespace?: string;
  readonly times?: Partial<ReflectorTimes>;
}

interface PublishedKind {
  readonly resource: Resource;
  readonly published: PublishedStates;
}

/** Status codes that blame the event, so sending it again would be useless. */
const wrongEvent: ReadonlySet<number> = new Set([400, 413, 415, 422]);

export class StateEvents {
  readonly #options: StateEventsOptions;
  readonly #kinds: readonly PublishedKind[];
  readonly #metrics: StateEventMetrics;
  /** When the sink began to refuse everything, on the monotonic clock. */
  #failingSinceMs: number | undefined;
  #refused = 0;

  constructor(options: StateEventsOptions) {
    this.#options = options;
    this.#kinds = options.kinds.flatMap(({ resource, published }) =>
      published === undefined ? [] : [{ resource, published }],
    );
    this.#metrics = createStateEventMetrics(options.metrics, () => this.#behindSeconds());
  }

  /** Sends state events until `signal` aborts, beginning with all existing states (state-event-1). */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#kinds.map((kind) => this.#reflectorOf(kind).run(signal)));
    this.#failingSinceMs = undefined;
  }

  #reflectorOf(kind: PublishedKind): Reflector {
    const { client, clock, random, times, namespace } = this.#options;
    const { resource, published } = kind;
    const known = new Map<Uid, Set<string>>();
    return new Reflector({
      ...{ client, resource, clock, random },
      project: (object) => onlyStates(object, published),
      deliver: (changes, signal) => this.#follow(kind, known, changes, signal),
      onFailure: (failure) => this.#onFailure(resource, failure),
      ...(namespace === undefined || !resource.namespaced ? {} : { namespace }),
      ...(times === undefined ? {} : { times }),
    });
  }

  async #follow(
    kind: PublishedKind,
    known: Map<Uid, Set<string>>,
    changes: readonly Change[],
    signal: AbortSignal,
  ): Promise<void> {
    const lines = [...Map.groupBy(changes, ({ object }) => object.metadata.uid)];
    const { errors } = await eachBounded(lines, concurrentEvents, async ([uid, line]) => {
      const sent = known.get(uid) ?? new Set();
      known.set(uid, sent);
      for (const change of line) {
        if (change.type === 'changed') await this.#sendStates(kind, change.object, sent, signal);
        else {
          await this.#send(kind, this.#deletion(kind, change), signal);
          known.delete(uid);
        }
      }
    });
    if (errors.length === 0) return;
    if (!signal.aborted) this.#isFailing(errors[0]);
    throw errors[0];
  }

  async #sendStates(
    kind: PublishedKind,
    object: KubeObject,
    sent: Set<string>,
    signal: AbortSignal,
  ): Promise<void> {
    const source = sourceOf(this.#options.clusterUid, kind.resource);
    const now = new Set<string>();
    for (const state of statesOf(object)) {
      const event = stateEvent(kind.resource, object.metadata, state, {
        ...kind.published,
        source,
      });
      now.add(event.id);
      if (sent.has(event.id)) continue;
      await this.#send(kind, event, signal);
      sent.add(event.id);
    }
    for (const id of sent) if (!now.has(id)) sent.delete(id);
  }

  #deletion({ resource }: PublishedKind, change: Change): CloudEvent {
    return fromEventReference(translate(this.#options.clusterUid, resource, change));
  }

  /** Throws if the event has to be sent again. */
  async #send({ resource }: PublishedKind, event: CloudEvent, signal: AbortSignal): Promise<void> {
    const { kind } = resource;
    const refusal = await this.#options.post
      .send(event, signal)
      .catch((error: unknown): Refusal => {
        // A retry would fail in the same way.
        if (hasCode(error, 'MR_EVENT_MALFORMED')) return { error, statusCode: 400 };
        if (!signal.aborted) this.#metrics.events.inc({ kind, outcome: 'failed' });
        throw error;
      });
    if (refusal === undefined) {
      this.#metrics.events.inc({ kind, outcome: 'taken' });
      this.#isTaking();
      return;
    }
    const { error, statusCode = 0 } = refusal;
    if (!wrongEvent.has(statusCode)) {
      this.#metrics.events.inc({ kind, outcome: 'failed' });
      throw error;
    }
    this.#metrics.events.inc({ kind, outcome: 'refused' });
    this.#refused += 1;
    if (!Number.isInteger(Math.log2(this.#refused))) return;
    const { id, type, subject } = event;
    this.#options.logger.warn(
      { err: error, id, type, subject, refused: this.#refused },
      'the sink of state events calls an event wrong; it is dropped',
    );
  }

  #isTaking(): void {
    if (this.#failingSinceMs === undefined) return;
    this.#failingSinceMs = undefined;
    this.#options.logger.info({}, 'the sink of state events takes them again');
  }

  #isFailing(error: unknown): void {
    if (this.#failingSinceMs !== undefined) return;
    this.#failingSinceMs = this.#options.clock.monotonicMs();
    const next = error instanceof MillraceError ? error.next : undefined;
    this.#options.logger.warn(
      { err: error, next },
      'the sink of state events takes none; they wait',
    );
  }

  #behindSeconds(): number {
    if (this.#failingSinceMs === undefined) return 0;
    return (this.#options.clock.monotonicMs() - this.#failingSinceMs) / 1_000;
  }

  /** Failed deliveries are logged elsewhere, with the sink's answer. A kind may be absent. */
  #onFailure({ kind }: Resource, { during, error, failures, retryInMs }: ReflectorFailure): void {
    if (during === 'deliver' || hasCode(error, 'MR_API_NOT_FOUND')) return;
    if (!Number.isInteger(Math.log2(failures))) return;
    this.#options.logger.warn(
      { kind, during, failures, retryInMs, err: error },
      'the states of a kind cannot be followed; it is tried again',
    );
  }
}

/** Reduces an object to what is remembered: its identity and its states. */
function onlyStates(object: KubeObject, published: PublishedStates): KubeObject {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    ...{ apiVersion, kind },
    metadata: { name, uid, resourceVersion, ...(namespace === undefined ? {} : { namespace }) },
    status: published.of(object),
  };
}

function statesOf({ status }: KubeObject): readonly PublishedState[] {
  return status as readonly PublishedState[];
}
