import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#shared/domain/objects.ts';
import { daemonJob, flow, job, ownedBy } from '#shared/domain/testing/objects.ts';
import {
  governedFingerprint,
  labelsFingerprint,
  policyFingerprint,
  workloadFingerprint,
} from './fingerprints.ts';
import { governedObject } from '#shared/suspension/governed-object.ts';
import { keepOfGovernedJob } from '#shared/api/work/kept-job.ts';
import { keepOfWorkload } from '#shared/api/work/workload.ts';
import { localQueueWork } from '#shared/api/work/local-queue.ts';

const ended = (type: string) => ({ conditions: [{ type, status: 'True' }] });
const ownerOf = (kind: string, apiVersion = 'batch/v1') => [
  { apiVersion, kind, name: 'o', uid: 'o', controller: true },
];
const untouchable = (object: KubeObject) => governedObject(object)?.untouchable;

describe('what policies govern', () => {
  it('is a Job that has not ended and belongs to no object of Millrace', () => {
    expect(governedObject(job({ name: 'a' }))).toMatchObject({
      ...{ kind: 'Job', namespace: 'default', name: 'a', suspend: false },
      ...{ isActive: false, hasRun: false },
    });
    expect(governedObject(job({ status: ended('Complete') }))).toBeUndefined();
    expect(governedObject(job({ status: ended('Failed') }))).toBeUndefined();
    expect(governedObject(job({ metadata: { deletionTimestamp: 'now' } }))).toBeUndefined();
    expect(governedObject(job({ metadata: ownedBy(flow()) }))).toBeUndefined();
  });

  it('is a flow or a DaemonJob that has not ended', () => {
    expect(governedObject(flow({ spec: { suspend: true } }))?.suspend).toBe(true);
    expect(governedObject(flow({ status: { state: 'Succeed' } }))).toBeUndefined();
    expect(governedObject(daemonJob({ status: { state: 'Running', active: 2 } }))).toMatchObject({
      isActive: true,
    });
    expect(governedObject(daemonJob({ status: { state: 'Failed' } }))).toBeUndefined();
  });

  it('is a DaemonJob that never completes, for as long as it is suspended', () => {
    const ofAll = (suspend: boolean) =>
      governedObject(
        daemonJob({
          spec: { completionPolicy: 'Never', suspend },
          status: { state: 'Failed' },
        }),
      );
    expect(ofAll(true)).toMatchObject({ suspend: true });
    expect(ofAll(false)).toBeUndefined();
  });

  it('takes up no room as a DaemonJob that says that all its Jobs are suspended', () => {
    const conditions = [{ type: 'Suspended', status: 'True' }];
    const status = { state: 'Suspended', active: 2 };
    expect(governedObject(daemonJob({ status }))?.isActive).toBe(true);
    expect(governedObject(daemonJob({ status: { ...status, conditions } }))?.isActive).toBe(false);
  });

  it.each([
    ['active', { active: 1 }, [true, false]],
    ['terminating', { terminating: 1 }, [true, false]],
    ['succeeded', { succeeded: 1 }, [false, true]],
    ['failed', { failed: 1 }, [false, true]],
    ['started', { startTime: '2026-01-05T08:00:00Z' }, [false, true]],
  ])('knows one that is %s', (_, status, expected) => {
    const found = governedObject(job({ status }));
    expect([found?.isActive, found?.hasRun]).toEqual(expected);
  });

  it('is not what something else suspends (scenario 66)', () => {
    const queue = { 'kueue.x-k8s.io/queue-name': 'q' };
    expect(untouchable(job({ metadata: { labels: queue } }))).toBe('Kueue');
    const stopping = { 'kueue.x-k8s.io/stopping': 'true' };
    expect(untouchable(job({ metadata: { annotations: stopping } }))).toBe('Kueue');
    expect(untouchable(job({ spec: { managedBy: 'kueue.x-k8s.io/multikueue' } }))).toBe(
      'ManagedBy',
    );
    expect(
      untouchable(job({ spec: { managedBy: 'kubernetes.io/job-controller' } })),
    ).toBeUndefined();
    const jobSet = ownerOf('JobSet', 'jobset.x-k8s.io/v1alpha2');
    expect(untouchable(job({ metadata: { ownerReferences: jobSet as never } }))).toBe('Owned');
    const cronJob = ownerOf('CronJob') as never;
    expect(untouchable(job({ metadata: { ownerReferences: cronJob } }))).toBeUndefined();
  });
});

const keepOf = (object: KubeObject) => localQueueWork.suspension?.keep?.(object) ?? object;

describe('a queue of Kueue', () => {
  const queue = (spec: object, mark?: string): KubeObject => ({
    ...job({ name: 'main', ...(mark === undefined ? {} : markedBy(mark)) }),
    ...{ apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'LocalQueue' },
    ...{ spec: { clusterQueue: 'all', ...spec }, status: { pendingWorkloads: 1_000 } },
  });
  const markedBy = (mark: string) => ({
    metadata: { annotations: { 'millrace.dev/suspended-by': mark } },
  });

  it.each([
    [{}, [false, undefined]],
    [{ stopPolicy: 'None' }, [false, undefined]],
    [{ stopPolicy: 'Hold' }, [true, true]],
    [{ stopPolicy: 'HoldAndDrain' }, [true, undefined]],
  ])('is held as its stopPolicy says: %j', (spec, expected) => {
    const found = governedObject(queue(spec));
    expect([found?.suspend, found?.letsFinish]).toEqual(expected);
    expect(found?.isSetOtherwise).toBeUndefined();
  });

  it.each([
    ['HoldAndDrain', 'p/0/everything', undefined],
    ['Hold', 'p/0/starts', undefined],
    ['Hold', 'p/0/everything', true],
    ['HoldAndDrain', 'p/0/starts', true],
    ['None', 'p/0/starts', undefined],
  ])('that is %s with the mark %s', (stopPolicy, mark, isSetOtherwise) => {
    expect(governedObject(queue({ stopPolicy }, mark))?.isSetOtherwise).toBe(isSetOtherwise);
  });

  it('is kept without its counts, which move with every Job', () => {
    const kept = keepOf(queue({ stopPolicy: 'Hold' }));
    expect(kept).not.toHaveProperty('status');
    expect(kept.spec).toEqual({ stopPolicy: 'Hold' });
    expect(keepOf(kept)).toEqual(kept);
    expect(keepOf(queue({})).spec).toEqual({});
    expect(governedFingerprint(kept)).toEqual(governedFingerprint(queue({ stopPolicy: 'Hold' })));
  });
});

describe('a Workload', () => {
  const workload = (fields: Partial<KubeObject> = {}): KubeObject => ({
    ...job({ name: 'job-a', metadata: ownedBy(flow()) }),
    ...{ apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'Workload' },
    ...{ spec: { active: true, podSets: [] }, status: {}, ...fields },
  });
  const condition = (type: string) => ({ conditions: [{ type, status: 'True' }] });
  const of = (fields?: Partial<KubeObject>) =>
    JSON.stringify(workloadFingerprint(keepOfWorkload(workload(fields))));

  it('moves with whether it may run and has finished, and not with its quota', () => {
    expect(of({ status: condition('Admitted') })).toBe(of());
    expect(of({ spec: {} })).toBe(of());
    expect(of({ spec: { active: false } })).not.toBe(of());
    expect(of({ status: condition('Finished') })).not.toBe(of());
    const { metadata } = workload();
    const marked = { ...metadata, annotations: { 'millrace.dev/suspended-by': 'p/0' } };
    expect(of({ metadata: marked })).not.toBe(of());
    expect(of({ metadata: { ...metadata, annotations: { other: 'x' } } })).toBe(of());
    expect(of({ metadata: { ...metadata, deletionTimestamp: 'now' } })).not.toBe(of());
    expect(of({ metadata: { ...metadata, ownerReferences: [] } })).not.toBe(of());
  });

  it('is kept without the Pods that it is for', () => {
    const kept = keepOfWorkload(workload({ status: condition('Finished') }));
    expect(kept.spec).toEqual({ active: true });
    expect(kept.status).toEqual(condition('Finished'));
    expect(keepOfWorkload(kept)).toEqual(kept);
    expect(keepOfWorkload(workload({ spec: {} })).spec).toEqual({});
  });
});

describe('a fingerprint', () => {
  const of = (fields: Parameters<typeof job>[0]) =>
    JSON.stringify(governedFingerprint(job(fields)));

  it('moves with what is decided on, and not with counts of Pods', () => {
    expect(of({ status: { active: 1 } })).toBe(of({ status: { active: 5, ready: 5 } }));
    expect(of({ status: { active: 1 } })).not.toBe(of({}));
    expect(of({ metadata: { labels: { tier: 'batch' } } })).not.toBe(of({}));
    const wish = { 'millrace.dev/suspend-override': 'Run' };
    expect(of({ metadata: { annotations: wish } })).not.toBe(of({}));
    expect(of({ metadata: { annotations: { other: 'x' } } })).toBe(of({}));
    // The spec counts, because it says how much capacity it takes.
    expect(of({ metadata: { generation: 2 } })).not.toBe(of({}));
  });

  it('is the same in whatever order labels and annotations come', () => {
    const [left, right] = [
      { a: '1', b: '2' },
      { b: '2', a: '1' },
    ];
    expect(of({ metadata: { labels: left } })).toBe(of({ metadata: { labels: right } }));
  });

  it('of a policy moves with what it says and its deletion, and not with its status', () => {
    const { metadata } = job();
    const of = (more: object) =>
      JSON.stringify(policyFingerprint({ ...job(), metadata: { ...metadata, ...more } }));
    expect(of({ resourceVersion: '9' })).toBe(of({}));
    expect(of({ generation: 2 })).not.toBe(of({}));
    expect(of({ deletionTimestamp: 'now' })).not.toBe(of({}));
  });

  it('of a namespace moves with its labels and what is wished for all of it', () => {
    const of = (metadata: object) => JSON.stringify(labelsFingerprint(job({ metadata })));
    expect(of({ labels: { team: 'a' } })).not.toBe(of({ labels: {} }));
    const wish = { 'millrace.dev/suspend-override': 'Run' };
    expect(of({ annotations: wish })).not.toBe(of({}));
    expect(of({ annotations: { other: 'x' } })).toBe(of({}));
  });

  it('is none of what has ended', () => {
    expect(governedFingerprint(job({ status: ended('Complete') }))).toBeUndefined();
  });
});

describe('what is kept of a Job', () => {
  const whole = job({
    metadata: { labels: { a: 'b' } },
    spec: {
      suspend: true,
      parallelism: 2,
      selector: {},
      template: {
        metadata: { labels: { x: 'y' } },
        spec: {
          priorityClassName: 'high',
          nodeSelector: { pool: 'spot' },
          containers: [
            {
              name: 'main',
              env: [{ name: 'x', value: 'secret' }],
              resources: { requests: { cpu: 1 } },
            },
          ],
          initContainers: [{ name: 'side', restartPolicy: 'Always' }],
        },
      },
    },
    status: { active: 1, ready: 1 },
  });

  it('is what decisions read, without commands and environment', () => {
    expect(keepOfGovernedJob(whole)).toEqual({
      ...whole,
      spec: {
        suspend: true,
        parallelism: 2,
        template: {
          spec: {
            priorityClassName: 'high',
            nodeSelector: { pool: 'spot' },
            containers: [{ resources: { requests: { cpu: 1 } } }],
            initContainers: [{ restartPolicy: 'Always' }],
          },
        },
      },
      status: { active: 1 },
    });
  });

  it('is the same a second time, and leads to the same facts', () => {
    const once = keepOfGovernedJob(whole);
    expect(keepOfGovernedJob(once)).toEqual(once);
    expect(governedObject(once)).toEqual(governedObject(whole));
    expect(governedFingerprint(once)).toEqual(governedFingerprint(whole));
  });
});
