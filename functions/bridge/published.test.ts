import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asEventId, type KubeObject } from '#shared/domain/objects.ts';
import type { EventReference } from '#shared/events/event-reference.ts';
import type { Change } from '#shared/kube/reflector-options.ts';
import { Published } from './published.ts';
import { watched } from './testing/stores.ts';
import { job, pod } from '#shared/domain/testing/objects.ts';

const eventOf = (change: Change): EventReference =>
  ({ id: asEventId(change.object.metadata.resourceVersion) }) as EventReference;

const stateOf = (object: KubeObject): string =>
  JSON.stringify(watched('Job').watchers.map(({ watch }) => watch.fingerprint(object)));

/** The publications of changes that are news, if the changes come in batches of these sizes. */
function publishedIn(
  kind: string,
  changes: readonly Change[],
  sizes: readonly number[],
  isTaken: (batch: number) => boolean = () => true,
): readonly (readonly [string, Change['type']])[] {
  const published = new Published();
  const all: (readonly [string, Change['type']])[] = [];
  let from = 0;
  for (let batch = 0; from < changes.length; batch += 1) {
    const to = from + (sizes[batch % Math.max(1, sizes.length)] ?? 1);
    const news = published.newsAmong(watched(kind), changes.slice(from, to));
    // A refused batch is delivered again, as by a reflector.
    if (!isTaken(batch)) continue;
    from = to;
    for (const item of news) {
      published.remember(item, eventOf(item.change));
      all.push([item.change.object.metadata.resourceVersion, item.change.type]);
    }
  }
  return all;
}

const statuses = [
  {},
  { active: 1 },
  { active: 1, ready: 1 },
  { active: 3, ready: 2 },
  { conditions: [{ type: 'Complete', status: 'True' }] },
] as const;

const jobChanges = fc
  .array(
    fc.record({
      uid: fc.constantFrom('j1', 'j2'),
      type: fc.constantFrom(
        'changed' as const,
        'changed' as const,
        'changed' as const,
        'deleted' as const,
      ),
      status: fc.constantFrom(...statuses),
    }),
    { maxLength: 30 },
  )
  .map((steps) =>
    steps.map(({ uid, type, status }, index): Change => {
      const object: KubeObject = job({ name: uid, uid, version: String(index + 1), status });
      return { type, object };
    }),
  );

const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 });

describe('what is news', () => {
  it('does not depend on how the changes are divided into batches', () => {
    fc.assert(
      fc.property(jobChanges, sizes, (changes, divided) => {
        expect(publishedIn('Job', changes, divided)).toEqual(publishedIn('Job', changes, [1]));
      }),
    );
  });

  it('stays news for as long as no store took it', () => {
    fc.assert(
      fc.property(jobChanges, sizes, fc.nat(3), (changes, divided, outage) => {
        const isTaken = (batch: number) => batch % 4 >= outage;
        expect(publishedIn('Job', changes, [divided[0] ?? 1], isTaken)).toEqual(
          publishedIn('Job', changes, [divided[0] ?? 1]),
        );
      }),
    );
  });

  it('is every deletion, and each state of an object that differs from its last one', () => {
    fc.assert(
      fc.property(jobChanges, (changes) => {
        const last = new Map<string, string>();
        const expected = changes.flatMap((change) => {
          const { uid, resourceVersion } = change.object.metadata;
          const state = stateOf(change.object);
          const isNews = change.type !== 'changed' || last.get(uid) !== state;
          if (change.type === 'changed') last.set(uid, state);
          else last.delete(uid);
          return isNews ? [[resourceVersion, change.type]] : [];
        });
        expect(publishedIn('Job', changes, [1])).toEqual(expected);
      }),
    );
  });
});

it('remembers an object for as long as it is something to one of its watchers', () => {
  const [first] = watched('Pod').watchers;
  if (first === undefined) throw new Error('no function watches Pods');
  const second = { ...first, watch: { ...first.watch, fingerprint: () => 'the same' } };
  const both = { ...watched('Pod'), watchers: [first, second] };
  const published = new Published();
  const object = pod({ status: { phase: 'Running' } });
  const [item] = published.newsAmong(both, [{ type: 'changed', object }]);
  expect(item?.wakes).toEqual([second]);
  if (item !== undefined) published.remember(item, eventOf(item.change));
  expect(published.newsAmong(both, [{ type: 'changed', object }])).toEqual([]);
});

it('remembers of a Pod only that something is wrong with it, and forgets it when that passes', () => {
  const published = new Published();
  const waiting = {
    containerStatuses: [{ name: 'c', state: { waiting: { reason: 'ErrImagePull' } } }],
  };
  const states = [{ phase: 'Running' }, waiting, { phase: 'Running' }, { phase: 'Succeeded' }];
  const sizes = states.map((status, index) => {
    const object = pod({ uid: 'p', version: String(index + 1), status });
    const news = published.newsAmong(watched('Pod'), [{ type: 'changed', object }]);
    for (const item of news) published.remember(item, eventOf(item.change));
    return [news.length, published.size];
  });
  expect(sizes).toEqual([
    [0, 0],
    [1, 1],
    [1, 0],
    [0, 0],
  ]);
});
