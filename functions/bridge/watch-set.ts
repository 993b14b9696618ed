/** What the bridge follows: all that the functions ask for, each resource once. */
import type { AccessRule } from '#shared/domain/access-rule.ts';
import { labels } from '#shared/domain/labels.ts';
import { type KubeObject, type Resource, resourceKey } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { isControlledByRoot, rootOf } from '#shared/domain/root-of.ts';
import type { Project } from '#shared/kube/object-view.ts';
import type { Need, Subscription, Watch } from '#shared/subscription/subscription.ts';
import { unionOf } from './union.ts';

/** A function that a resource wakes. */
export interface Watcher {
  readonly subscription: Subscription;
  readonly watch: Watch;
}

export interface Watched {
  readonly resource: Resource;
  /** Absent: every object of the resource. */
  readonly labelSelector?: string;
  /** Of resources of which an object makes that the selector no longer holds: then every one is followed. */
  readonly widenedBy: readonly Resource[];
  /** Of what there has to be something before it is followed at all. Absent: it is from the beginning on. */
  readonly neededBy?: readonly Need[];
  /** All that one of the watchers keeps. */
  readonly project: Project;
  readonly watchers: readonly Watcher[];
}

/** In the order in which the functions name them. */
export function watchSetOf(subscriptions: readonly Subscription[]): readonly Watched[] {
  const all = subscriptions.flatMap((subscription) =>
    subscription.watches.map((watch) => ({ subscription, watch })),
  );
  const resources = new Map(
    all.map(({ watch: { resource } }) => [resourceKey(resource), resource]),
  );
  return [...resources].map(([key, resource]) =>
    watchedBy(
      resource,
      all.filter(({ watch }) => resourceKey(watch.resource) === key),
    ),
  );
}

function watchedBy(resource: Resource, watchers: readonly Watcher[]): Watched {
  const watches = watchers.map(({ watch }) => watch);
  const needs = watches.map(({ neededBy }) => neededBy);
  const followsEverything = watches.some(({ only }) => only === undefined);
  const ofOthers = watchers.filter(({ watch }) => watch.only === 'others');
  const keepOf = (kept: readonly Watch[]): Project => unionOf(kept.map(({ keep }) => keep));
  const ofChild = keepOf(watches.filter(({ only }) => only !== 'others'));
  const ofOther = keepOf(watches.filter(({ only }) => only !== 'children'));
  const ofBoth = keepOf(watches);
  return {
    resource,
    // A cluster's other objects are not ours to read, unless a function lives by them.
    ...(followsEverything ? {} : { labelSelector: labels.ownerUid }),
    widenedBy: followsEverything
      ? []
      : ofOthers.flatMap(({ subscription }) => subscription.decides),
    ...(needs.includes(undefined) ? {} : { neededBy: needs.flatMap((need) => need ?? []) }),
    project: (object) => {
      if (!isLabelled(object)) return ofOther(object);
      return (isControlledByRoot(object) ? ofChild : ofBoth)(object);
    },
    watchers,
  };
}

/**
 * Whether the object is among those that the watch asked for. Only one with the label and the owner of a child is no
 * concern of those who ask for others: the label alone is a user's, and no way past a policy.
 */
export function concerns({ only }: Watch, object: KubeObject): boolean {
  if (only === undefined) return true;
  return only === 'children' ? isLabelled(object) : !isControlledByRoot(object);
}

function isLabelled(object: KubeObject): boolean {
  return rootOf(object) !== undefined;
}

/** What is followed from the beginning, and what may be at run time. */
function followedResources(subscriptions: readonly Subscription[]): readonly Resource[] {
  const declared = watchSetOf(subscriptions).map(({ resource }) => resource);
  const usual = subscriptions.flatMap(({ follows }) => follows?.usual ?? []);
  return [...new Map([...usual, ...declared].map((each) => [resourceKey(each), each])).values()];
}

/** The Lease by which one of several bridges is elected, in the namespace that they run in. */
export const leaseName = 'millrace-bridge';

/**
 * What the bridge may do. Its Lease it may create, since somebody may delete it, and it may touch no
 * other: a process that may write all Leases can unseat every controller of the cluster.
 */
export function bridgeAccess(subscriptions: readonly Subscription[]): readonly AccessRule[] {
  return [
    ...followedResources(subscriptions).map(
      (resource) => ({ resource, verbs: ['list', 'watch'] }) as const,
    ),
    { resource: resources.Namespace, verbs: ['get'] },
    { resource: resources.Lease, namespace: 'own', verbs: ['create'] },
    { resource: resources.Lease, namespace: 'own', names: [leaseName], verbs: ['get', 'patch'] },
  ];
}
