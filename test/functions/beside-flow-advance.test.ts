/** Two functions that watch the same kind: each is woken for its own fields, and sees the fields that it asked for. */
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createBridgeMetrics } from '#functions/bridge/metrics.ts';
import { Publisher } from '#functions/bridge/publish.ts';
import { BridgeViews } from '#functions/bridge/views.ts';
import { watchSetOf } from '#functions/bridge/watch-set.ts';
import { subscription as flowAdvance } from '#functions/flow-advance/subscription.ts';
import { labels } from '#shared/domain/labels.ts';
import { asResourceVersion, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { flow, job, ownedBy } from '#shared/domain/testing/objects.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { createMemoryJournal } from '#shared/journal/memory-journal.ts';
import { createMemoryQueue } from '#shared/queue/memory-queue.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';

/** Decides about every Job, by its queue label and its parallelism. */
const queueWatch: Subscription = {
  name: 'queue-watch',
  decides: [resources.Job],
  kinds: [],
  watches: [
    {
      resource: resources.Job,
      leadsTo: 'self',
      fingerprint: ({ metadata, spec }) => [
        metadata.labels?.['queue'] ?? null,
        (spec as { readonly parallelism?: number } | undefined)?.parallelism ?? 1,
      ],
      keep: (object) => {
        const { nodeSelector } = (object.spec ?? {}) as { readonly nodeSelector?: unknown };
        return { ...object, spec: { nodeSelector }, status: {} };
      },
    },
  ],
  isUnfinished: () => false,
  access: [],
};

const both = [flowAdvance, queueWatch];
const owner = flow({ name: 'etl', uid: 'f' });
const ours = { labels: { [labels.ownerUid]: 'f' }, ...ownedBy(owner) };

function publishing() {
  const watchSet = watchSetOf(both);
  const added: WorkItem[] = [];
  const queue = createMemoryQueue({ clock: systemClock });
  const publisher = new Publisher({
    journal: createMemoryJournal({ clock: systemClock }),
    queue: { ...queue, add: async (items) => void added.push(...items) },
    clusterUid: 'c',
    views: new BridgeViews(watchSet),
    clock: systemClock,
    metrics: createBridgeMetrics(new Registry()),
    leading: () => true,
  });
  const jobs = watchSet.find(({ resource }) => resource === resources.Job)!;
  const publish = async (object: KubeObject, type: 'changed' | 'deleted' = 'changed') => {
    added.length = 0;
    await publisher.publish(jobs, [{ type, object }]);
    return added.map((item) => `${item.function} ${item.key.kind}`).sort();
  };
  return { publish, jobs };
}

function viewsHolding(...objects: readonly KubeObject[]): BridgeViews {
  const watchSet = watchSetOf(both);
  const { project } = watchSet.find(({ resource }) => resource === resources.Job)!;
  const views = new BridgeViews(watchSet);
  views.followed(resources.Job).replace(objects.map(project), asResourceVersion('9'));
  return views;
}

it('wakes each for its own fields', async () => {
  const { publish } = publishing();
  const at = (version: string, fields: object, metadata: object = {}) =>
    job({ name: 'a', version, metadata: { ...ours, ...metadata }, ...fields });
  const queued = { labels: { ...ours.labels, queue: 'night' } };
  expect(await publish(at('1', {}))).toEqual(['flow-advance JobFlow', 'queue-watch Job']);
  expect(await publish(at('2', { status: { active: 1 } }))).toEqual(['flow-advance JobFlow']);
  expect(await publish(at('3', { status: { active: 1 } }, queued))).toEqual(['queue-watch Job']);
  expect(await publish(at('4', { status: { active: 2 } }, queued))).toEqual([]);
  expect(await publish(at('5', {}, queued), 'deleted')).toEqual([
    'flow-advance JobFlow',
    'queue-watch Job',
  ]);
});

it('keeps the Jobs of others from the one that asked for children only', async () => {
  const { publish, jobs } = publishing();
  expect(jobs.labelSelector).toBeUndefined();
  const foreign = job({ name: 'b', metadata: { labels: {} } });
  expect(await publish(foreign)).toEqual(['queue-watch Job']);
  const views = viewsHolding(foreign, job({ name: 'a', metadata: ours }));
  const names = (subscription: Subscription) =>
    [...views.seenBy(subscription).list(resources.Job)].map(({ metadata }) => metadata.name);
  expect(names(flowAdvance)).toEqual(['a']);
  expect(names(queueWatch)).toEqual(['b', 'a']);
});

it('a child that loses the label is gone for the one function, and unchanged for the other', async () => {
  const { publish } = publishing();
  await publish(job({ name: 'a', version: '1', metadata: ours }));
  const lost = job({ name: 'a', version: '2', metadata: { ...ours, labels: {} } });
  expect(await publish(lost)).toEqual(['flow-advance JobFlow']);
});

it('keeps in the view what one of them keeps', () => {
  const spec = { suspend: true, nodeSelector: { disk: 'ssd' }, template: { spec: {} } };
  const object = job({ name: 'a', metadata: ours, spec, status: { active: 1 } });
  const views = viewsHolding(object);
  const held = views.of(resources.Job)?.get('default', 'a');
  expect(held?.spec).toEqual({ suspend: true, nodeSelector: { disk: 'ssd' } });
  expect(held?.status).toEqual({ active: 1 });
});
