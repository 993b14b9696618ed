import { describe, expect, it } from 'vitest';
import { type JsonObject } from '#shared/domain/objects.ts';
import {
  decided,
  decision,
  patchesIn,
  queuedFlow,
  snapshotOf,
  stepNamed,
  words,
  workloadOf,
} from '../testing/queued.ts';
import { asWorkload, conditionOf } from '../workload.ts';

describe('a flow that waits in a queue', () => {
  it('gets a Workload with a podSet for each step (step 14)', () => {
    const operations = decided(snapshotOf(queuedFlow()));
    expect(words(operations)).toEqual(['create Workload', 'Event CreatedWorkload']);
    const [create] = operations;
    expect(create?.kind === 'create' && create.object).toMatchObject({
      metadata: {
        name: 'jobflow-etl-12345',
        labels: { 'kueue.x-k8s.io/job-uid': 'uid-of-etl', 'millrace.dev/owner-uid': 'uid-of-etl' },
        finalizers: ['kueue.x-k8s.io/resource-in-use'],
        ownerReferences: [{ kind: 'JobFlow', name: 'etl', controller: true }],
      },
      spec: { queueName: 'main', priority: 0, podSets: [{ name: 'a', count: 1 }, { name: 'b' }] },
    });
  });

  it.each([
    ['60', 60],
    ['0', undefined],
    ['soon', undefined],
  ])('tells Kueue its maximum execution time, by its label: %s', (text, seconds) => {
    const labels = {
      'kueue.x-k8s.io/queue-name': 'main',
      'kueue.x-k8s.io/max-exec-time-seconds': text,
    };
    const { spec } = workloadOf(queuedFlow({ metadata: { labels } }));
    expect((spec as JsonObject)['maximumExecutionTimeSeconds']).toBe(seconds);
  });

  it('shows Kueue the labels that its Pods get, a step before the flow', () => {
    const container = { name: 'main', image: 'busybox' };
    const template = { metadata: { labels: { tier: 'gpu' } }, spec: { containers: [container] } };
    const spec = {
      globalParams: { labels: { team: 'etl', tier: 'cpu' } },
      flows: [{ name: 'a', jobTemplate: { template } }],
    };
    const workload = workloadOf(queuedFlow({ spec }));
    expect(workload.spec).toMatchObject({
      podSets: [{ template: { metadata: { labels: { team: 'etl', tier: 'gpu' } } } }],
    });
  });

  it('does nothing without a label of a queue (step 5)', () => {
    expect(decided(snapshotOf(queuedFlow({ metadata: { labels: {} } })))).toEqual([]);
  });

  it('does nothing while Kueue has not said anything', () => {
    const job = queuedFlow();
    expect(decided(snapshotOf(job, { workloads: [workloadOf(job)] }))).toEqual([]);
  });

  it('says that Kueue is silent when a sweep finds it so after ten seconds', () => {
    const job = queuedFlow();
    const madeAt = (creationTimestamp: string) => [workloadOf(job, {}, {}, { creationTimestamp })];
    const decidedOn = (at: string) => decided(snapshotOf(job, { workloads: madeAt(at) }));
    expect(decidedOn('2026-11-27T09:59:51Z')).toEqual([]);
    expect(JSON.stringify(patchesIn(decidedOn('2026-11-27T09:59:50Z')))).toContain(
      'Kueue has not reported on it yet: it waits behind others with the same request',
    );
  });

  it('says on the flow what Kueue says of it, once', () => {
    const job = queuedFlow();
    const workloads = [workloadOf(job, { QuotaReserved: '!Pending' })];
    const [patch] = patchesIn(decided(snapshotOf(job, { workloads })));
    const note = '{"queue":"main","message":"QuotaReserved because"}';
    expect(patch).toEqual({ metadata: { annotations: { 'millrace.dev/queued': note } } });
    const noted = queuedFlow({ metadata: { annotations: { 'millrace.dev/queued': note } } });
    expect(decided(snapshotOf(noted, { workloads }))).toEqual([]);
  });

  it.each([
    ['Kueue is not there', { lacksKueue: true as const }, 'Kueue is not installed'],
    [
      'its priority class is not there',
      { priority: { kind: 'missing', className: 'gold' } as const },
      'there is no WorkloadPriorityClass "gold"',
    ],
    ['a JobTemplate is not there', { needed: { t: null } }, 'there is no JobTemplate "t"'],
  ])('waits and says so where %s', (_, more, message) => {
    const flows = 'needed' in more ? [{ name: 'a', jobTemplateRef: 't' }] : [stepNamed('a')];
    const result = decision(snapshotOf(queuedFlow({ spec: { flows } }), more));
    expect(result.reasons[0]?.message).toContain(message);
    expect(JSON.stringify(patchesIn(result.plan.flat()))).toContain('millrace.dev/queued');
  });

  it.each([
    ['Deactivated', ''],
    ['DeactivatedDueToMaximumExecutionTimeExceeded', ': Evicted because'],
  ])('says that its Workload is not active, and why Kueue made it so: %s', (reason, why) => {
    const job = queuedFlow();
    const workload = workloadOf(job, { QuotaReserved: '!Pending', Evicted: reason });
    const inactive = { ...workload, spec: { ...(workload.spec as object), active: false } };
    const { message } = decision(snapshotOf(job, { workloads: [inactive] })).reasons[0]!;
    expect(message).toBe(`its Workload is not active (spec.active is false)${why}`);
  });

  it.each([
    ['DeactivatedDueToMaximumExecutionTimeExceeded', 86_400_000, 'noted until 86400000'],
    ['DeactivatedDueToMaximumExecutionTimeExceeded', 0, 'delete JobFlow, Event Deleted'],
    ['DeactivatedDueToMaximumExecutionTimeExceeded', undefined, 'noted'],
    ['Deactivated', 0, 'noted'],
  ])('deactivated for %s and kept for %s ms: %s', (reason, keepsDeactivatedMs, expected) => {
    const job = queuedFlow();
    const workload = workloadOf(job, { QuotaReserved: '!Pending', Evicted: reason });
    const { lastTransitionTime } = conditionOf(asWorkload(workload), 'Evicted')!;
    const inactive = { ...workload, spec: { ...(workload.spec as object), active: false } };
    const kept = keepsDeactivatedMs === undefined ? {} : { keepsDeactivatedMs };
    const result = decision(snapshotOf(job, { workloads: [inactive], ...kept }));
    const [note, ...others] = words(result.plan.flat());
    const until = result.requeueAtMs;
    const again = until === undefined ? '' : ` until ${until - Date.parse(lastTransitionTime)}`;
    expect(note === 'patch JobFlow' ? `noted${again}` : [note, ...others].join(', ')).toBe(
      expected,
    );
  });

  it('groups the steps of one template where there are more than 18', () => {
    const flows = Array.from({ length: 20 }, (_, index) => stepNamed(`s${index}`));
    const [create] = decided(snapshotOf(queuedFlow({ spec: { flows } })));
    expect(create?.kind === 'create' && create.object.spec).toMatchObject({
      podSets: [{ name: 's0', count: 20 }],
    });
  });

  it('makes no Workload of more than 18 different templates, and says what to do', () => {
    const flows = Array.from({ length: 19 }, (_, index) => ({
      name: `s${index}`,
      jobTemplate: { template: { spec: { containers: [{ name: 'main', image: `i${index}` }] } } },
    }));
    const operations = decided(snapshotOf(queuedFlow({ spec: { flows } })));
    expect(words(operations)).toEqual(['Event ErrWorkloadCompose', 'patch JobFlow']);
    expect(JSON.stringify(operations)).toContain('label the steps instead');
  });

  it('follows its label into another queue while no quota is reserved (step 18)', () => {
    const job = queuedFlow();
    const moved = queuedFlow({ metadata: { labels: { 'kueue.x-k8s.io/queue-name': 'other' } } });
    const { plan, reasons } = decision(snapshotOf(moved, { workloads: [workloadOf(job)] }));
    expect(patchesIn(plan.flat())).toEqual([{ spec: { queueName: 'other' } }]);
    expect(reasons).toEqual([{ code: 'UpdatedWorkload', message: 'the queue has changed' }]);
  });

  it('has its Workload written anew when it was changed before it was admitted (3.3)', () => {
    const workloads = [workloadOf(queuedFlow())];
    const changed = queuedFlow({ spec: { flows: [stepNamed('a')] } });
    const operations = decided(snapshotOf(changed, { workloads }));
    expect(words(operations)).toEqual(['patch Workload', 'Event UpdatedWorkload']);
    expect(patchesIn(operations)[0]).toMatchObject({ spec: { podSets: [{ name: 'a' }] } });
  });

  it('has its Workload written anew when other containers take its place (3.3)', () => {
    const workloads = [workloadOf(queuedFlow())];
    const template = { spec: { containers: [{ name: 'main', image: 'other' }] } };
    const changed = queuedFlow({
      spec: { flows: [{ name: 'a', jobTemplate: { template } }, stepNamed('b')] },
    });
    const operations = decided(snapshotOf(changed, { workloads }));
    expect(words(operations)).toEqual(['patch Workload', 'Event UpdatedWorkload']);
    expect(patchesIn(operations)[0]).toMatchObject({ spec: { podSets: [{ template }, {}] } });
  });

  it('keeps the Workload that says what it says, and has the others deleted', () => {
    const job = queuedFlow();
    const other = workloadOf(queuedFlow({ spec: { flows: [stepNamed('a')] } }));
    const workloads = [workloadOf(job), other];
    const operations = decided(snapshotOf(job, { workloads }));
    expect(words(operations)).toEqual([
      'Event DeletedWorkload',
      'patch Workload',
      'delete Workload',
    ]);
  });
});

it('takes a Workload that Kueue and the API server wrote their own way for the same', () => {
  const job = queuedFlow();
  const workload = workloadOf(job, { QuotaReserved: '!Pending' });
  const text = JSON.stringify(workload).replaceAll('"cpu":"1"', '"cpu":"1000m"');
  const written = JSON.parse(
    text.replaceAll('"image"', '"terminationMessagePath":"/x","image"'),
  ) as typeof workload;
  expect(words(decided(snapshotOf(job, { workloads: [written] })))).toEqual(['patch JobFlow']);
});
