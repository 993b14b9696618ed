/** The bridge follows everything that the functions ask for, each resource once. */
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
  /** As soon as an object of one of these resources exists, all objects are followed, without the selector. */
  readonly widenedBy: readonly Resource[];
  /** The resource is followed only once one of these needs exists. Absent: from the beginning. */
  readonly neededBy?: readonly Need[];
  /** Keeps everything that at least one of the watchers keeps. */
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
    // Other objects of the cluster are not read, unless a function depends on them.
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
 * Whether the watch asked for the object. Watches of other objects skip one only if it has both the
 * label and the owner of a child. Users may set the label, so it alone must be no way past a policy.
 */
export function concerns({ only }: Watch, object: KubeObject): boolean {
  if (only === undefined) return true;
  return only === 'children' ? isLabelled(object) : !isControlledByRoot(object);
}

function isLabelled(object: KubeObject): boolean {
  return rootOf(object) !== undefined;
}

/** The resources that are followed from the beginning, and those that may be followed at run time. */
function followedResources(subscriptions: readonly Subscription[]): readonly Resource[] {
  const declared = watchSetOf(subscriptions).map(({ resource }) => resource);
  const usual = subscriptions.flatMap(({ follows }) => follows?.usual ?? []);
  return [...new Map([...usual, ...declared].map((each) => [resourceKey(each), each])).values()];
}

/** The Lease that elects one of several bridges, in their namespace. */
export const leaseName = 'millrace-bridge';

/**
 * The rights of the bridge. It may create its Lease, since a user may delete it, but it may touch no other.
 * A process that may write all Leases can unseat every controller of the cluster.
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
