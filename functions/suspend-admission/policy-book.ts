/**
 * Follows policies, labels of namespaces and names of LocalQueues, so that a review needs no request and no
 * computation of a schedule. Some transitions are computed ahead when a policy is seen. A policy that is unseen or
 * invalid, or whose computed transitions have passed, holds nothing here. suspend-schedule corrects that within a
 * second.
 */
import { suspendPolicyFaults } from '#shared/api/suspend-policy-rules.ts';
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import { localQueueWork } from '#shared/api/work/local-queue.ts';
import type { Clock, Random, WaitingClock } from '#shared/domain/clock.ts';
import { hasCode } from '#shared/domain/errors.ts';
import type { Resource, Uid } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { ObjectView } from '#shared/kube/object-view.ts';
import { Reflector } from '#shared/kube/reflector.ts';
import type { Change } from '#shared/kube/reflector-options.ts';
import type { ScheduleState } from '#shared/schedule/schedule.ts';
import { policyResources } from '#shared/suspension/selection.ts';
import { openingBy, type Timetable, timetableOf } from '#shared/suspension/timetable.ts';

export interface FollowOptions {
  readonly client: KubeClient;
  readonly clock: WaitingClock;
  readonly random: Random;
  /** Only policies of this namespace and those of the cluster. Absent: all namespaces. */
  readonly namespace?: string;
  readonly onFailure: (error: unknown) => void;
}

export interface Policies {
  all(): readonly SuspendPolicy[];
  labelsOf(namespace: string): Readonly<Record<string, string>>;
  hasLocalQueue(namespace: string, name: string): boolean;
  /** Whether work may run by its schedule at this time. Undefined: unknown. */
  openingOf(policy: SuspendPolicy, atMs: number): ScheduleState | undefined;
}

interface Noted {
  /** Generation of the spec that it was computed from. */
  readonly generation: number | undefined;
  readonly timetable: Timetable;
}

const { resource: LocalQueue } = localQueueWork;

/** The followed resources. */
export const followed = [
  resources.SuspendPolicy,
  resources.ClusterSuspendPolicy,
  resources.Namespace,
  LocalQueue,
] as const;

export class PolicyBook implements Policies {
  readonly #views = new Map(followed.map((resource) => [resource.kind, new ObjectView()]));
  readonly #noted = new Map<Uid, Noted>();

  all(): readonly SuspendPolicy[] {
    const { SuspendPolicy, ClusterSuspendPolicy } = resources;
    return [SuspendPolicy, ClusterSuspendPolicy]
      .flatMap(({ kind }) => [...this.#viewOf(kind).values()])
      .map((object) => object as unknown as SuspendPolicy);
  }

  labelsOf(namespace: string): Readonly<Record<string, string>> {
    return this.#viewOf(resources.Namespace.kind).get('', namespace)?.metadata.labels ?? {};
  }

  hasLocalQueue(namespace: string, name: string): boolean {
    return this.#viewOf(LocalQueue.kind).get(namespace, name) !== undefined;
  }

  openingOf({ metadata }: SuspendPolicy, atMs: number): ScheduleState | undefined {
    const noted = this.#noted.get(metadata.uid);
    return noted === undefined || noted.generation !== metadata.generation
      ? undefined
      : openingBy(noted.timetable, atMs);
  }

  /** Computes the next transitions of its schedule, unless they are known. */
  note(policy: SuspendPolicy, nowMs: number): void {
    const { uid, generation } = policy.metadata;
    const noted = this.#noted.get(uid);
    const isCurrent = noted?.generation === generation;
    if (isCurrent && noted?.timetable[0] === this.openingOf(policy, nowMs)) return;
    if (suspendPolicyFaults(policy.spec).length > 0) this.#noted.delete(uid);
    else this.#noted.set(uid, { generation, timetable: timetableOf(policy.spec.schedule, nowMs) });
  }

  #take(changes: readonly Change[], clock: Clock): void {
    for (const { type, object } of changes) {
      if (type === 'changed') this.note(object as unknown as SuspendPolicy, clock.now());
      else this.#noted.delete(object.metadata.uid);
    }
  }

  /** Runs until `signal` aborts. Never rejects. */
  async follow(options: FollowOptions, signal: AbortSignal): Promise<void> {
    const { namespace, onFailure, ...common } = options;
    const reflectors = followed.map(
      (resource) =>
        new Reflector({
          ...common,
          resource,
          project: stripMetadata,
          view: this.#viewOf(resource.kind),
          deliver: (changes) => {
            if (isPolicy(resource)) this.#take(changes, common.clock);
            return Promise.resolve();
          },
          onFailure: ({ error }) => {
            if (!isAbsent(resource, error)) onFailure(error);
          },
          ...(namespace === undefined || !resource.namespaced ? {} : { namespace }),
        }),
    );
    await Promise.all(reflectors.map((reflector) => reflector.run(signal)));
  }

  #viewOf(kind: string): ObjectView {
    const view = this.#views.get(kind);
    if (view === undefined) throw new Error(`${kind} is not followed`);
    return view;
  }
}

function isPolicy({ kind }: Resource): boolean {
  return policyResources.some((each) => each.kind === kind);
}

/** Kueue may not be installed. */
function isAbsent(resource: Resource, error: unknown): boolean {
  return resource === LocalQueue && hasCode(error, 'MR_API_NOT_FOUND');
}
