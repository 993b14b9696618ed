/**
 * Policies, and labels of namespaces, as they are followed: no request is made for an answer. A policy that
 * has not been seen yet holds nothing here; suspend-schedule makes it good within a second.
 */
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import { resources } from '#shared/domain/resources.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { ObjectView } from '#shared/kube/object-view.ts';
import { Reflector } from '#shared/kube/reflector.ts';

export interface FollowOptions {
  readonly client: KubeClient;
  readonly clock: WaitingClock;
  readonly random: Random;
  /** Only policies of this one, besides those of the cluster. Absent: of all namespaces. */
  readonly namespace?: string;
  readonly onFailure: (error: unknown) => void;
}

export interface Policies {
  all(): readonly SuspendPolicy[];
  labelsOf(namespace: string): Readonly<Record<string, string>>;
}

/** What is followed, and what of it is kept. */
export const followed = [
  resources.SuspendPolicy,
  resources.ClusterSuspendPolicy,
  resources.Namespace,
] as const;

export class PolicyBook implements Policies {
  readonly #views = new Map(followed.map((resource) => [resource.kind, new ObjectView()]));

  all(): readonly SuspendPolicy[] {
    const { SuspendPolicy, ClusterSuspendPolicy } = resources;
    return [SuspendPolicy, ClusterSuspendPolicy]
      .flatMap(({ kind }) => [...this.#viewOf(kind).values()])
      .map((object) => object as unknown as SuspendPolicy);
  }

  labelsOf(namespace: string): Readonly<Record<string, string>> {
    return this.#viewOf(resources.Namespace.kind).get('', namespace)?.metadata.labels ?? {};
  }

  /** Until `signal` aborts; never rejects. */
  async follow(options: FollowOptions, signal: AbortSignal): Promise<void> {
    const { namespace, onFailure, ...common } = options;
    const reflectors = followed.map(
      (resource) =>
        new Reflector({
          ...common,
          resource,
          project: stripMetadata,
          view: this.#viewOf(resource.kind),
          deliver: () => Promise.resolve(),
          onFailure: ({ error }) => onFailure(error),
          ...(namespace === undefined || !resource.namespaced ? {} : { namespace }),
        }),
    );
    await Promise.all(reflectors.map((reflector) => reflector.run(signal)));
  }

  #viewOf(kind: string): ObjectView {
    const view = this.#views.get(kind as (typeof followed)[number]['kind']);
    if (view === undefined) throw new Error(`${kind} is not followed`);
    return view;
  }
}
