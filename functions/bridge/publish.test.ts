import { describe, expect, it, vi } from 'vitest';
import { asResourceVersion, type KubeObject } from '#shared/domain/objects.ts';
import { subscriptions } from '#functions/list.ts';
import { resources } from '#shared/domain/resources.ts';
import { workItemIdentity } from '#shared/domain/work-item.ts';
import type { Change } from '#shared/kube/reflector-options.ts';
import { flow, job, ownedBy, pod, template } from '#shared/domain/testing/objects.ts';
import { publisherOver, stores, watched } from './testing/stores.ts';

const subscription = subscriptions[0]!;
const changed = (object: KubeObject): Change => ({ type: 'changed', object });
const owner = flow({ name: 'f', uid: 'flow-uid' });
const childJob = (version: string, status?: object): KubeObject =>
  job({ uid: 'j', version, metadata: ownedBy(owner), ...(status === undefined ? {} : { status }) });

const itself = { resource: resources.JobFlow, leadsTo: 'self' } as const;

describe('a change that is news', () => {
  it('is recorded, and its flow is enqueued under its id', async () => {
    const taken = stores();
    const { publisher } = publisherOver(taken);
    await publisher.publish(watched('Job'), [changed(childJob('7'))]);
    expect(await taken.recorded()).toEqual(['j.7']);
    expect(taken.added).toMatchObject([
      {
        function: 'flow-advance',
        cause: 'j.7',
        key: { kind: 'JobFlow', namespace: 'default', name: 'f', uid: 'flow-uid' },
      },
    ]);
  });

  it('is recorded without any request to the queue when it wakes no function', async () => {
    const taken = stores();
    taken.outage.queue = true;
    await publisherOver(taken).publisher.publish(watched('Job'), [
      changed(job({ uid: 'j', version: '7' })),
    ]);
    expect(await taken.recorded()).toEqual(['j.7']);
    expect(taken.added).toEqual([]);
  });

  it('wakes once with the others of its batch: all recorded, one item for the flow', async () => {
    const taken = stores();
    const { publisher } = publisherOver(taken);
    await publisher.publish(watched('Job'), [
      changed(childJob('7')),
      changed(childJob('8', { active: 1 })),
      changed(childJob('9', { conditions: [{ type: 'Complete', status: 'True' }] })),
    ]);
    expect(await taken.recorded()).toEqual(['j.7', 'j.8', 'j.9']);
    expect(taken.added.map(({ cause }) => cause)).toEqual(['j.9']);
  });
});

describe('a change that is no news', () => {
  it('is neither recorded nor enqueued, whether it comes alone or in the same batch', async () => {
    const taken = stores();
    const { publisher } = publisherOver(taken);
    await publisher.publish(watched('Job'), [changed(childJob('7')), changed(childJob('8'))]);
    taken.outage.journal = true;
    await publisher.publish(watched('Job'), [changed(childJob('9'))]);
    expect(await taken.recorded()).toEqual(['j.7']);
    expect(taken.added).toHaveLength(1);
  });

  it('is a change again after another one came between', async () => {
    const taken = stores();
    const { publisher } = publisherOver(taken);
    await publisher.publish(watched('Job'), [
      changed(childJob('7')),
      changed(childJob('8', { active: 1 })),
    ]);
    await publisher.publish(watched('Job'), [changed(childJob('9'))]);
    expect(await taken.recorded()).toEqual(['j.7', 'j.8', 'j.9']);
  });
});

describe('a deletion', () => {
  it.each(['deleted', 'gone'] as const)('is always news (%s)', async (type) => {
    const taken = stores();
    const { publisher } = publisherOver(taken);
    await publisher.publish(watched('Job'), [changed(childJob('7'))]);
    await publisher.publish(watched('Job'), [{ type, object: childJob('7') }]);
    expect(await taken.recorded()).toEqual(['j.7', `j.7.${type}`]);
    expect(taken.added).toHaveLength(2);
  });

  it('makes the next sight of the uid the first one', async () => {
    const taken = stores();
    const { publisher } = publisherOver(taken);
    await publisher.publish(watched('Job'), [changed(childJob('7'))]);
    await publisher.publish(watched('Job'), [{ type: 'gone', object: childJob('7') }]);
    await publisher.publish(watched('Job'), [changed(childJob('8'))]);
    expect(await taken.recorded()).toEqual(['j.7', 'j.7.gone', 'j.8']);
  });
});

describe('an outage', () => {
  it('of the journal keeps no item back: what is recorded comes again, and is one item then', async () => {
    const taken = stores();
    const { publisher } = publisherOver(taken);
    taken.outage.journal = true;
    const changes = [changed(childJob('7'))];
    await expect(publisher.publish(watched('Job'), changes)).rejects.toMatchObject({
      code: 'MR_QUEUE_UNAVAILABLE',
    });
    expect(taken.added).toHaveLength(1);
    taken.outage.journal = false;
    await publisher.publish(watched('Job'), changes);
    expect(await taken.recorded()).toEqual(['j.7']);
    expect(new Set(taken.added.map(workItemIdentity)).size).toBe(1);
  });

  it.each(['journal', 'queue'] as const)(
    'of the %s does not make the change look published: it is taken when it comes again',
    async (store) => {
      const taken = stores();
      const { publisher } = publisherOver(taken);
      taken.outage[store] = true;
      const changes = [changed(childJob('7'))];
      await expect(publisher.publish(watched('Job'), changes)).rejects.toThrow('outage');
      taken.outage[store] = false;
      await publisher.publish(watched('Job'), changes);
      expect(await taken.recorded()).toEqual(['j.7']);
      expect(new Set(taken.added.map(workItemIdentity)).size).toBe(1);
    },
  );
});

describe('a JobTemplate', () => {
  const withStep = (name: string, ref: string, rest = {}): KubeObject =>
    flow({ name, spec: { flows: [{ name: 's', jobTemplateRef: ref }] }, ...rest });

  it('wakes the unfinished flows of its namespace that name it, and no others', async () => {
    const taken = stores();
    const { publisher, views } = publisherOver(taken);
    views
      .followed(resources.JobFlow)
      .replace(
        [
          withStep('names-it', 't'),
          withStep('names-it-too', 't'),
          withStep('names-another', 'u'),
          withStep('is-finished', 't', { status: { state: 'Succeed' } }),
          withStep('is-elsewhere', 't', { metadata: { namespace: 'other' } }),
          flow({ name: 'is-malformed', spec: { flows: 'x' } }),
          flow({ name: 'has-malformed-steps', spec: { flows: [null, { jobTemplateRef: 7 }] } }),
          flow({ name: 'has-no-spec' }),
        ],
        asResourceVersion('9'),
      );
    await publisher.publish(watched('JobTemplate'), [changed(template({ name: 't' }))]);
    expect(taken.added.map(({ key }) => key.name)).toEqual(['names-it', 'names-it-too']);
  });

  it('costs each function that follows templates one pass over the flows, with however many others it comes', async () => {
    const taken = stores();
    const { publisher, views } = publisherOver(taken);
    const pass = vi.spyOn(views.followed(resources.JobFlow), 'values');
    const names = ['t', 'u', 'v'];
    await publisher.publish(
      watched('JobTemplate'),
      names.map((name) => changed(template({ name }))),
    );
    const followers = subscriptions.filter(({ watches }) =>
      watches.some(({ resource }) => resource === resources.JobTemplate),
    );
    expect(pass).toHaveBeenCalledTimes(followers.length);
  });

  it('wakes a flow once although two of its steps name it', async () => {
    const taken = stores();
    const { publisher, views } = publisherOver(taken);
    const steps = ['a', 'b'].map((name) => ({ name, jobTemplateRef: 't' }));
    views
      .followed(resources.JobFlow)
      .replace([flow({ spec: { flows: steps } })], asResourceVersion('9'));
    await publisher.publish(watched('JobTemplate'), [changed(template({ name: 't' }))]);
    expect(taken.added).toHaveLength(1);
  });
});

describe('a Pod', () => {
  const parent = job({ name: 'f-a', uid: 'j', metadata: ownedBy(owner) });
  const held = { containerStatuses: [{ name: 'main', state: { waiting: { reason: 'X' } } }] };
  const podAt = (version: string, status: object, of: KubeObject = parent) =>
    pod({ name: 'f-a-x', uid: 'p', version, status, metadata: ownedBy(of) });
  const knowing = (...jobs: readonly KubeObject[]) => {
    const taken = stores();
    const over = publisherOver(taken);
    over.views.followed(resources.Job).replace(jobs, asResourceVersion('9'));
    return { ...taken, ...over };
  };

  it('is neither recorded nor wakes anybody in its ordinary life', async () => {
    const { publisher, added, recorded } = knowing(parent);
    await publisher.publish(watched('Pod'), [changed(podAt('1', {})), changed(podAt('2', {}))]);
    await publisher.publish(watched('Pod'), [changed(podAt('3', { phase: 'Running' }))]);
    await publisher.publish(watched('Pod'), [changed(podAt('4', { phase: 'Succeeded' }))]);
    await publisher.publish(watched('Pod'), [{ type: 'deleted', object: podAt('5', {}) }]);
    expect(await recorded()).toEqual([]);
    expect(added).toEqual([]);
  });

  it('wakes the flow of its Job when something keeps it from running, and when that has passed', async () => {
    const { publisher, added, recorded } = knowing(parent);
    await publisher.publish(watched('Pod'), [changed(podAt('1', {}))]);
    await publisher.publish(watched('Pod'), [changed(podAt('2', held)), changed(podAt('3', held))]);
    await publisher.publish(watched('Pod'), [changed(podAt('4', { phase: 'Running' }))]);
    await publisher.publish(watched('Pod'), [changed(podAt('5', { phase: 'Succeeded' }))]);
    await publisher.publish(watched('Pod'), [{ type: 'deleted', object: podAt('6', {}) }]);
    expect(await recorded()).toEqual(['p.2', 'p.4']);
    const key = { kind: 'JobFlow', namespace: 'default', name: 'f', uid: 'flow-uid' };
    expect(added).toMatchObject([
      { function: 'flow-advance', cause: 'p.2', key },
      { function: 'flow-advance', cause: 'p.4', key },
    ]);
  });

  it('wakes no function without an owner', async () => {
    const { publisher, added, recorded } = knowing(parent);
    await publisher.publish(watched('Pod'), [
      changed(pod({ uid: 'p', version: '1', status: held })),
    ]);
    expect(await recorded()).toEqual(['p.1']);
    expect(added).toEqual([]);
  });

  it('wakes when it is deleted while something keeps it from running', async () => {
    const { publisher, added } = knowing(parent);
    await publisher.publish(watched('Pod'), [changed(podAt('1', held))]);
    await publisher.publish(watched('Pod'), [{ type: 'deleted', object: podAt('2', held) }]);
    expect(added.map(({ cause }) => cause)).toEqual(['p.1', 'p.2.deleted']);
  });

  it.each([
    ['its Job is not known', []],
    ['another Job has the name', [job({ name: 'f-a', uid: 'k', metadata: ownedBy(owner) })]],
    ['its Job has no owner', [job({ name: 'f-a', uid: 'j' })]],
    ['its Job is not that of a flow', [job({ name: 'f-a', uid: 'j', metadata: ownedBy(parent) })]],
  ])('wakes no function when %s, whatever its labels say', async (_, jobs) => {
    const { publisher, added } = knowing(...jobs);
    const labels = { 'millrace.dev/flow': 'f', 'millrace.dev/owner-uid': 'flow-uid' };
    const object = podAt('1', held);
    await publisher.publish(watched('Pod'), [
      changed({ ...object, metadata: { ...object.metadata, labels } }),
    ]);
    expect(added).toEqual([]);
  });
});

it('gives two bridges one record per event and one item per flow', async () => {
  const taken = stores();
  const changes = [changed(flow({ name: 'f', uid: 'flow-uid' })), changed(flow({ name: 'g' }))];
  for (const { publisher } of [publisherOver(taken), publisherOver(taken)]) {
    await publisher.publish(watched('JobFlow'), changes);
  }
  expect(await taken.recorded()).toEqual(['flow-uid.5', 'uid-of-g.5']);
  expect(await taken.queue.depth('flow-advance')).toMatchObject({ waiting: 2 });
});

it('asks no store for anything when there is nothing to publish again', async () => {
  const taken = stores();
  taken.outage.journal = true;
  expect(
    await publisherOver(taken).publisher.publishAgain(subscription, resources.JobFlow, []),
  ).toBe(0);
});

it('counts what was published, filtered and enqueued', async () => {
  const { publisher, metrics } = publisherOver(stores());
  await publisher.publish(watched('Job'), [changed(childJob('7')), changed(childJob('8'))]);
  await publisher.publish(watched('Job'), [{ type: 'gone', object: childJob('8') }]);
  const { values } = await metrics.published.get();
  expect(values.map(({ labels, value }) => ({ ...labels, value }))).toEqual([
    { kind: 'Job', change: 'changed', value: 1 },
    { kind: 'Job', change: 'gone', value: 1 },
  ]);
  expect((await metrics.filtered.get()).values).toEqual([{ labels: { kind: 'Job' }, value: 1 }]);
  expect((await metrics.items.get()).values).toMatchObject([{ value: 2 }]);
});

describe('waking without an event', () => {
  it('names the event that the journal has, not the version of now', async () => {
    const taken = stores();
    const { publisher } = publisherOver(taken);
    await publisher.publish(watched('JobFlow'), [changed(flow({ uid: 'u', version: '7' }))]);
    await publisher.publish(watched('JobFlow'), [changed(flow({ uid: 'u', version: '8' }))]);
    await publisher.wake(subscription, itself, [flow({ uid: 'u', version: '8' })]);
    expect(taken.added.map(({ cause }) => cause)).toEqual(['u.7', 'u.7']);
    expect(taken.added[1]?.traceparent).toBe(taken.added[0]?.traceparent);
  });

  it('follows an index too, as an event would', async () => {
    const taken = stores();
    const { publisher, views } = publisherOver(taken);
    views.followed(resources.JobFlow).replace([owner], asResourceVersion('9'));
    const watch = subscription.watches.find(({ resource }) => resource === resources.Pod)!;
    views.followed(resources.Job).replace([childJob('7')], asResourceVersion('9'));
    const left = pod({ name: 'p', metadata: ownedBy(childJob('7')) });
    await publisher.wake(subscription, watch, [left]);
    expect(taken.added.map(({ key }) => key.name)).toEqual(['f']);
  });

  it('goes in batches, so that ten thousand flows do not outgrow a deadline', async () => {
    const taken = stores();
    const sizes: number[] = [];
    const queue = {
      ...taken.queue,
      add: async (items: Parameters<typeof taken.queue.add>[0]) => void sizes.push(items.length),
    };
    const flows = Array.from({ length: 1_200 }, (_, index) => flow({ name: `f${index}` }));
    expect(
      await publisherOver({ ...taken, queue }).publisher.wake(subscription, itself, flows),
    ).toBe(1_200);
    expect(sizes).toEqual([500, 500, 200]);
  });
});

describe('what is remembered', () => {
  it('ends with the object', async () => {
    const { publisher } = publisherOver(stores());
    await publisher.publish(watched('Job'), [changed(childJob('7'))]);
    expect(publisher.remembered).toBe(1);
    await publisher.publish(watched('Job'), [{ type: 'deleted', object: childJob('8') }]);
    expect(publisher.remembered).toBe(0);
  });

  it('can be forgotten as a whole; then everything is news', async () => {
    const taken = stores();
    const { publisher } = publisherOver(taken);
    await publisher.publish(watched('Job'), [changed(childJob('7'))]);
    publisher.forgetPublished();
    expect(publisher.remembered).toBe(0);
    await publisher.publish(watched('Job'), [changed(childJob('8'))]);
    expect(await taken.recorded()).toEqual(['j.7', 'j.8']);
  });
});
