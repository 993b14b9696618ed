/**
 * Looks of a function at clusters with one object of every watched kind: first with every possible field, then with
 * random subsets. All reads go through the views that the functions share.
 */
import { BridgeViews } from '#functions/bridge/views.ts';
import { watchSetOf } from '#functions/bridge/watch-set.ts';
import { subscriptions } from '#functions/list.ts';
import {
  asResourceVersion,
  asUid,
  isOf,
  type KubeObject,
  type Resource,
} from '#shared/domain/objects.ts';
import { labels } from '#shared/domain/labels.ts';
import { omit } from '#shared/domain/omit.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { viewReader } from '#shared/kube/view-reader.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import type { Watch } from '#shared/subscription/subscription.ts';
import { policyKey as keyOf } from '#shared/suspension/selection.ts';
import { type Keeps, ownedBy, someObject } from './whole-objects.ts';

const watched = watchSetOf(subscriptions);

export function* asLooksSee(
  fn: EventFunction,
  decided: Resource,
  count: number,
): Generator<() => Promise<unknown>, void> {
  const chance = sequence();
  for (let look = 0; look < count; look += 1) {
    const keeps = look === 0 ? () => true : (): boolean => chance() > (look % 4) / 8;
    yield () => seen(fn, decided, keeps);
  }
}

async function seen(fn: EventFunction, decided: Resource, keeps: Keeps): Promise<unknown> {
  const { watches } = fn.subscription;
  const own = someObject(decided, keeps);
  const resources = watched.map(({ resource }) => resource);
  const others = new Map(
    resources.map((resource) => [
      resource.kind,
      isPolicy(resource) && keeps() ? rival(resource) : someObject(resource, keeps, own),
    ]),
  );
  const objectOf = ({ kind }: Resource): KubeObject => {
    const other = others.get(kind)!;
    if (kind === decided.kind) return own;
    if (kind === 'Workload') {
      return ownedBy(asOther(other), isPolicy(decided) ? others.get('Job')! : own);
    }
    const isChild = ({ resource, only }: Watch) => resource.kind === kind && only === 'children';
    return watches.some(isChild) ? other : asOther(other);
  };
  const views = new BridgeViews(watched);
  for (const resource of resources) {
    const scope = views.scopeOf(resource);
    scope.need();
    scope.widen();
    scope.listed();
    views.followed(resource).replace([objectOf(resource)], asResourceVersion('9'));
  }
  return fn.observe(keyOf(own), viewReader(views.seenBy(fn.subscription), serverOf(views)));
}

/** Direct reads of the API server return only fields that views keep, so that no other field gets in. */
function serverOf(views: BridgeViews): Reader {
  const listed = (resource: Resource): readonly KubeObject[] => [
    ...views.followed(resource).values(),
  ];
  return {
    get: async (resource, { namespace, name }) =>
      watched.some(({ resource: { kind } }) => kind === resource.kind)
        ? views.followed(resource).get(namespace, name)
        : someObject(resource, () => true),
    listByRoot: async (resource, { uid }) => views.followed(resource).listByRoot(uid),
    resourceOf: async (kind) => watched.find(({ resource }) => isOf(kind, resource))?.resource,
    list: async (resource) => listed(resource),
    listByOwner: async (resource, { uid }) => views.followed(resource).listByOwner(uid),
    listByOwners: async (resource, _, children) =>
      children.flatMap((uid) => views.followed(resource).listByOwner(uid)),
  };
}

/** It belongs to none of Millrace's objects. */
function asOther(object: KubeObject): KubeObject {
  const { labels: all = {}, ...rest } = omit(object.metadata, 'ownerReferences');
  const metadata = { ...rest, labels: omit(all, labels.ownerUid) };
  return object.kind === 'Job'
    ? ownedBy({ ...object, metadata }, cronJob)
    : { ...object, metadata };
}

const cronJob: KubeObject = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: {
    name: 'hourly',
    uid: asUid('uid-of-hourly'),
    resourceVersion: asResourceVersion('1'),
  },
};

/** It selects the same objects as the deciding policy, whatever that selects. */
const rival = (resource: Resource): KubeObject => ({
  ...someObject(resource, () => false),
  spec: {
    schedule: {
      timeZone: 'UTC',
      windows: [{ name: 'night', open: '0 20 * * *', close: '0 6 * * *' }],
    },
  },
});

const isPolicy = ({ kind }: Resource): boolean => kind.endsWith('SuspendPolicy');

/** The same pseudo-random numbers each time, below 1. */
function sequence(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
