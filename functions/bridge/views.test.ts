import { describe, expect, it } from 'vitest';
import { asResourceVersion, asUid } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { flow, job, ownedBy } from '#shared/domain/testing/objects.ts';
import type { Subscription, Watch } from '#shared/subscription/subscription.ts';
import { BridgeViews } from './views.ts';
import { watchSetOf } from './watch-set.ts';

const { Job, JobFlow, Pod } = resources;
const watch = (resource: Watch['resource'], only?: Watch['only']): Watch => ({
  ...{ resource, leadsTo: 'self', fingerprint: () => null, keep: (object) => object },
  ...(only === undefined ? {} : { only }),
});
const subscription = (name: string, watches: readonly Watch[]): Subscription => ({
  ...{ name, decides: [JobFlow], kinds: [], watches, isUnfinished: () => false, access: [] },
});

const childrenOnly = subscription('children-only', [watch(Job, 'children')]);
const everything = subscription('everything', [watch(Job), watch(JobFlow)]);
const others = subscription('others', [watch(Job, 'others'), watch(JobFlow)]);
const owner = flow();
const child = job({ name: 'child', metadata: ownedBy(owner) });
const unlabelled = job({ name: 'unlabelled', metadata: { ...ownedBy(owner), labels: {} } });

/** Both are followed because one function asked for everything. */
function views() {
  const made = new BridgeViews(watchSetOf([childrenOnly, everything]));
  made.followed(Job).replace([child, unlabelled], asResourceVersion('9'));
  return made;
}

describe('what a function sees', () => {
  it('is all of a resource where it asked for all', () => {
    const seen = views().seenBy(everything);
    expect([...seen.list(Job)]).toEqual([child, unlabelled]);
    expect(seen.listByOwner(Job, owner.metadata.uid)).toEqual([child, unlabelled]);
    expect(seen.get(Job, 'default', 'unlabelled')).toEqual(unlabelled);
  });

  it('is children only where it asked for no more, whatever others follow', () => {
    const seen = views().seenBy(childrenOnly);
    expect([...seen.list(Job)]).toEqual([child]);
    expect(seen.listByOwner(Job, owner.metadata.uid)).toEqual([child]);
    expect(seen.get(Job, 'default', 'child')).toEqual(child);
    expect(seen.get(Job, 'default', 'unlabelled')).toBeUndefined();
  });

  it('has no child where it asked for what belongs to others', () => {
    const made = new BridgeViews(watchSetOf([others, everything]));
    made.followed(Job).replace([child, unlabelled], asResourceVersion('9'));
    const seen = made.seenBy(others).of(Job);
    expect([...(seen?.values() ?? [])]).toEqual([unlabelled]);
    expect(seen?.listByRoot(owner.metadata.uid)).toEqual([]);
  });

  it('is nothing of a resource that it does not watch', () => {
    const seen = views().seenBy(childrenOnly);
    expect([...seen.list(JobFlow)]).toEqual([]);
    expect(seen.listByOwner(JobFlow, asUid('u'))).toEqual([]);
    expect(seen.get(JobFlow, 'default', 'a')).toBeUndefined();
  });

  it('is complete as soon as the list is, and not before', () => {
    const made = new BridgeViews(watchSetOf([childrenOnly]));
    const view = made.seenBy(childrenOnly).of(Job);
    expect(view?.synced).toBe(false);
    made.followed(Job).replace([], asResourceVersion('9'));
    expect(view?.synced).toBe(true);
  });

  it('is what does not carry our label where it asked for others', () => {
    const made = new BridgeViews(watchSetOf([everything, others]));
    made.followed(Job).replace([child, unlabelled], asResourceVersion('9'));
    expect([...made.seenBy(others).list(Job)]).toEqual([unlabelled]);
  });

  it('is not complete for who asked for others before those have been listed, too', () => {
    const made = new BridgeViews(watchSetOf([childrenOnly, others]));
    const scope = made.scopeOf(Job);
    made.followed(Job).replace([child], asResourceVersion('9'));
    scope.listed();
    const synced = () => [childrenOnly, others].map((each) => made.seenBy(each).of(Job)?.synced);
    expect(synced()).toEqual([true, false]);
    scope.widen();
    expect(synced()).toEqual([true, false]);
    scope.listed();
    expect(synced()).toEqual([true, true]);
  });
});

it('has a view of what is followed, and says of what is not that it is a fault to ask', () => {
  expect(views().of(Pod)).toBeUndefined();
  expect(() => views().followed(Pod)).toThrow('pods is not followed');
});
