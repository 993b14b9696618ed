import { describe, expect, it } from 'vitest';
import { annotations, labels } from '#shared/domain/labels.ts';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { governedObject } from './governed-object.ts';

const job = (fields: Partial<KubeObject> = {}, notes: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name: 'etl',
    namespace: 'team-a',
    uid: asUid('u1'),
    resourceVersion: asResourceVersion('1'),
    annotations: notes,
  },
  ...fields,
});

it.each([
  ['suspendedBy', 'mark'],
  ['held', 'held'],
  ['resumedBy', 'resumedBy'],
  ['suspendOverride', 'override'],
  ['placed', 'placed'],
] as const)('the annotation %s is read as %s, and no other', (annotation, member) => {
  const governed = governedObject(job({}, { [annotations[annotation]]: 'text' }));
  const members = ['mark', 'held', 'resumedBy', 'override', 'placed'];
  expect(Object.keys(governed!).filter((key) => members.includes(key))).toEqual([member]);
  expect(governed).toMatchObject({ [member]: 'text' });
});

describe('a Job', () => {
  it('is set otherwise where a user suspends it after its mark says that nothing is stopped', () => {
    const marked = (suspend: boolean, mark: string) =>
      governedObject(job({ spec: { suspend } }, { [annotations.suspendedBy]: mark }));
    expect(marked(true, 'p/0/nothing')).toHaveProperty('isSetOtherwise', true);
    expect(marked(true, 'p/0')).not.toHaveProperty('isSetOtherwise');
    expect(marked(false, 'p/0/nothing')).not.toHaveProperty('isSetOtherwise');
  });

  it.each([
    ['has a start on record', { startTime: '2026-01-05T10:00:00Z' }],
    ['has a Pod that succeeded', { succeeded: 1 }],
    ['has a Pod that failed', { failed: 1 }],
  ])('has run where it %s', (_, status) => {
    expect(governedObject(job({ status }))).toMatchObject({ hasRun: true });
  });

  it('has not run where its status has none of these', () => {
    const status = { succeeded: 0, failed: 0, active: 1 };
    expect(governedObject(job({ status }))).toMatchObject({ hasRun: false, isActive: true });
  });

  it.each([
    ['True', false],
    ['False', true],
  ])('with a condition Complete that is %s is governed: %s', (holds, isGoverned) => {
    const status = { conditions: [{ type: 'Complete', status: holds }] };
    expect(governedObject(job({ status })) !== undefined).toBe(isGoverned);
  });

  it.each(['active', 'terminating', 'running'])('is active where Pods are %s', (count) => {
    expect(governedObject(job({ status: { [count]: 1 } }))).toMatchObject({ isActive: true });
    expect(governedObject(job({ status: { [count]: 0 } }))).toMatchObject({ isActive: false });
  });
});

describe('a DaemonJob that has succeeded', () => {
  const status = { state: 'Succeed' };
  const daemonJob = (spec: object) =>
    governedObject({ ...job({ spec, status }), kind: 'DaemonJob' });

  it('is governed no more, suspended or not', () => {
    expect(daemonJob({})).toBeUndefined();
    expect(daemonJob({ suspend: true })).toBeUndefined();
  });

  it('is governed while it is suspended where it goes on with the next machine', () => {
    expect(daemonJob({ suspend: true, completionPolicy: 'Never' })).toBeDefined();
    expect(daemonJob({ completionPolicy: 'Never' })).toBeUndefined();
  });
});

describe('an owner reference that a user has written', () => {
  const referring = (kind: string, uid: string, label?: string) => ({
    ...job(),
    metadata: {
      ...job().metadata,
      ...(label === undefined ? {} : { labels: { [labels.ownerUid]: label } }),
      ownerReferences: [
        {
          ...{ apiVersion: 'api.practice.com/v1alpha1', kind, name: 'o' },
          ...{ uid: asUid(uid), controller: true },
        },
      ],
    },
  });

  it.each(['JobFlow', 'DaemonJob'])(
    'to a %s leaves the Job among what a policy counts and names',
    (kind) => {
      expect(governedObject(referring(kind, 'o1'))?.untouchable).toBe('Owned');
      expect(governedObject(referring(kind, 'o1', 'another'))?.untouchable).toBe('Owned');
      expect(governedObject(referring(kind, 'o1', 'o1'))).toBeUndefined();
    },
  );

  it('to no owner, with the label of a child, leaves the Job governed', () => {
    const metadata = { ...job().metadata, labels: { [labels.ownerUid]: 'o1' } };
    const governed = governedObject({ ...job(), metadata });
    expect(governed?.name).toBe('etl');
    expect(governed).not.toHaveProperty('untouchable');
  });
});

describe('an AppWrapper', () => {
  const wrapper = (spec: object, status: object = {}): KubeObject => ({
    ...job({ spec, status }),
    ...{ apiVersion: 'workload.codeflare.dev/v1beta2', kind: 'AppWrapper' },
  });

  it('is governed where it names the controller that runs it anyway, and left to any other', () => {
    const managedBy = (by: string) => governedObject(wrapper({ managedBy: by }))?.untouchable;
    expect(managedBy('workload.codeflare.dev/appwrapper-controller')).toBeUndefined();
    expect(managedBy('kueue.x-k8s.io/multikueue')).toBe('ManagedBy');
    expect(managedBy('kubernetes.io/job-controller')).toBe('ManagedBy');
  });

  it('has run where it was ever resumed', () => {
    const conditions = [{ type: 'QuotaReserved', status: 'False' }];
    const hasRun = (status: object) => governedObject(wrapper({ suspend: true }, status))?.hasRun;
    expect(hasRun({ phase: 'Suspended' })).toBe(false);
    expect(hasRun({ phase: 'Suspended', conditions })).toBe(true);
  });
});
