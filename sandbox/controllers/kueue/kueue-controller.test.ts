import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { ControllerWorld } from '../testing/controller-world.ts';
import { conditionOf, type Workload } from './queue-objects.ts';

const apiVersion = 'kueue.x-k8s.io/v1beta2';
const object = (kind: string, name: string, spec: JsonObject): JsonObject => ({
  ...{ apiVersion, kind, metadata: { name }, spec },
});

describe('the stand-in for Kueue', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = new ControllerWorld({ kueue: true });
    world.create('resourceflavors', object('ResourceFlavor', 'default', {}));
  });

  const clusterQueue = (cpu: string, more: JsonObject = {}): void => {
    const flavors = [{ name: 'default', resources: [{ name: 'cpu', nominalQuota: cpu }] }];
    const resourceGroups = [{ coveredResources: ['cpu'], flavors }];
    const spec = { namespaceSelector: {}, resourceGroups, ...more };
    world.create('clusterqueues', object('ClusterQueue', 'team', spec));
    world.create('localqueues', object('LocalQueue', 'main', { clusterQueue: 'team' }));
  };
  const workload = (name: string, cpu: string, fields: JsonObject = {}, count = 1): void => {
    const containers = [{ name: 'main', image: 'busybox', resources: { requests: { cpu } } }];
    const podSets = [{ name: 'main', count, template: { spec: { containers } } }];
    const spec = { queueName: 'main', podSets, ...fields };
    world.create('workloads', object('Workload', name, spec));
  };
  const found = (name: string): Workload =>
    world.list('workloads').find(({ metadata }) => metadata.name === name) as Workload;
  const wordsOf = (name: string, type: string): string => {
    const { status, reason, message } = conditionOf(found(name).status, type) ?? {};
    return `${status}/${reason}: ${message}`;
  };
  const ends = (name: string): void => {
    const finished = { type: 'Finished', status: 'True', reason: 'Succeeded', message: '' };
    const conditions = [...(found(name).status?.conditions ?? []), finished];
    world.patch('workloads', name, { status: { conditions } } as unknown as JsonObject, 'status');
  };
  /** Plays the job's controller when no Pod of the job is running any more. */
  const givesWay = (name: string, isRequeued: boolean): void => {
    const { reason = '' } = conditionOf(found(name).status, 'Evicted') ?? {};
    const change = (type: string, status: string) => ({ ...{ type, status, reason, message: '' } });
    const kept = (found(name).status?.conditions ?? []).filter(
      ({ type }) => !['QuotaReserved', 'Admitted', 'Requeued'].includes(type),
    );
    const conditions = [
      ...kept,
      change('QuotaReserved', 'False'),
      change('Admitted', 'False'),
      change('Requeued', isRequeued ? 'True' : 'False'),
    ];
    const status = { admission: null, conditions } as unknown as JsonObject;
    world.patch('workloads', name, { status }, 'status');
  };

  it('admits what fits and says whose quota it has', () => {
    clusterQueue('2');
    workload('a', '500m', {}, 3);
    expect(wordsOf('a', 'QuotaReserved')).toBe(
      'True/QuotaReserved: Quota reserved in ClusterQueue team',
    );
    expect(wordsOf('a', 'Admitted')).toBe('True/Admitted: The workload is admitted');
    expect(found('a').status?.admission).toEqual({
      clusterQueue: 'team',
      podSetAssignments: [
        { name: 'main', flavors: { cpu: 'default' }, resourceUsage: { cpu: '1500m' }, count: 3 },
      ],
    });
  });

  it('keeps waiting what finds no room, says what is missing, and admits it when there is', () => {
    clusterQueue('2');
    workload('a', '2');
    workload('b', '1500m');
    expect(wordsOf('b', 'QuotaReserved')).toBe(
      "False/Pending: couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, 1500m more needed",
    );
    ends('a');
    expect(wordsOf('b', 'Admitted')).toContain('True/Admitted');
  });

  it('says of what never fits that it is more than there is', () => {
    clusterQueue('2');
    workload('a', '3');
    expect(wordsOf('a', 'QuotaReserved')).toBe(
      "False/Pending: couldn't assign flavors to pod set main: insufficient quota for cpu in flavor default, previously considered podsets requests (0) + current podset request (3) > maximum capacity (2)",
    );
  });

  it.each([
    ['BestEffortFIFO', 'True'],
    ['StrictFIFO', undefined],
  ])('lets a later one pass in a queue that is %s: %s', (queueingStrategy, admitted) => {
    clusterQueue('2', { queueingStrategy });
    workload('a', '1');
    workload('b', '2', { priority: 5 });
    workload('c', '1');
    expect(conditionOf(found('c').status, 'Admitted')?.status).toBe(admitted);
  });

  it('takes quota from the lowest priority, and gives it on when the job has stopped', () => {
    clusterQueue('2', { preemption: { withinClusterQueue: 'LowerPriority' } });
    workload('low', '1', { priority: 1 });
    workload('middle', '1', { priority: 5 });
    workload('high', '1', { priority: 10 });
    expect(wordsOf('low', 'Evicted')).toContain(
      'True/Preempted: Preempted to accommodate a workload',
    );
    expect(wordsOf('middle', 'Evicted')).toBe('undefined/undefined: undefined');
    expect(wordsOf('high', 'QuotaReserved')).toContain('Pending the preemption of 1 workload(s)');
    givesWay('low', true);
    expect(wordsOf('high', 'Admitted')).toContain('True');
    expect(wordsOf('low', 'QuotaReserved')).toContain('insufficient unused quota');
    ends('middle');
    expect(wordsOf('low', 'Admitted')).toContain('True');
    expect(wordsOf('low', 'Evicted')).toContain('False/QuotaReserved: Previously: Preempted');
  });

  it('frees the quota of Pods that are done', () => {
    clusterQueue('2');
    workload('a', '1', {}, 2);
    workload('b', '1');
    world.patch(
      'workloads',
      'a',
      { status: { reclaimablePods: [{ name: 'main', count: 1 }] } },
      'status',
    );
    expect(wordsOf('b', 'Admitted')).toContain('True');
  });

  it('puts aside what is set inactive until it is active again', () => {
    clusterQueue('2');
    workload('a', '2');
    world.patch('workloads', 'a', { spec: { active: false } });
    expect(wordsOf('a', 'Evicted')).toBe('True/Deactivated: The workload is deactivated');
    givesWay('a', false);
    workload('b', '2');
    expect(wordsOf('b', 'Admitted')).toContain('True');
    ends('b');
    world.patch('workloads', 'a', { spec: { active: true } });
    expect(wordsOf('a', 'Requeued')).toBe('True/Reactivated: The workload was reactivated');
    expect(wordsOf('a', 'Admitted')).toContain('True');
  });

  it('waits for the checks of the queue before it admits', () => {
    clusterQueue('2', { admissionChecksStrategy: { admissionChecks: [{ name: 'ready' }] } });
    workload('a', '1');
    expect(conditionOf(found('a').status, 'Admitted')).toBeUndefined();
    const check = (state: string) => ({
      ...{ name: 'ready', state, message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' },
    });
    world.patch('workloads', 'a', { status: { admissionChecks: [check('Ready')] } }, 'status');
    expect(wordsOf('a', 'Admitted')).toContain('True');
    world.patch('workloads', 'a', { status: { admissionChecks: [check('Rejected')] } }, 'status');
    expect(found('a').spec.active).toBe(false);
    expect(wordsOf('a', 'Evicted')).toContain('True/DeactivatedDueToAdmissionCheck');
  });

  it('says that a queue is missing or stopped, and drains it when asked to', () => {
    workload('a', '1');
    expect(wordsOf('a', 'QuotaReserved')).toBe("False/Inadmissible: LocalQueue main doesn't exist");
    world.create('localqueues', object('LocalQueue', 'main', { clusterQueue: 'team' }));
    expect(wordsOf('a', 'QuotaReserved')).toBe(
      "False/Inadmissible: ClusterQueue team doesn't exist",
    );
    world.delete('localqueues', 'main');
    clusterQueue('2', { stopPolicy: 'Hold' });
    expect(wordsOf('a', 'QuotaReserved')).toBe('False/Inadmissible: ClusterQueue team is inactive');
    world.patch('clusterqueues', 'team', { spec: { stopPolicy: 'None' } });
    expect(wordsOf('a', 'Admitted')).toContain('True');
    world.patch('localqueues', 'main', { spec: { stopPolicy: 'HoldAndDrain' } });
    expect(wordsOf('a', 'Evicted')).toBe('True/LocalQueueStopped: The LocalQueue is stopped');
    givesWay('a', false);
    world.patch('localqueues', 'main', { spec: { stopPolicy: 'None' } });
    expect(wordsOf('a', 'Admitted')).toContain('True');
  });

  it('counts what waits and what runs, and says whether a queue is open', () => {
    clusterQueue('1');
    workload('a', '1');
    workload('b', '1');
    for (const plural of ['localqueues', 'clusterqueues']) {
      expect(world.list(plural)[0]).toMatchObject({
        status: {
          ...{ pendingWorkloads: 1, reservingWorkloads: 1, admittedWorkloads: 1 },
          conditions: [{ type: 'Active', status: 'True', reason: 'Ready' }],
        },
      });
    }
    expect(world.eventTexts('Workload', 'a')).toContain('Admitted: The workload is admitted');
  });

  it('keeps the pod sets and the queue of what has quota', () => {
    clusterQueue('1');
    workload('a', '1');
    expect(() => world.patch('workloads', 'a', { spec: { queueName: 'other' } })).toThrow(
      'queueName is immutable while workload quota reserved',
    );
    const podSets = [{ ...found('a').spec.podSets[0]!, count: 2 }];
    const change = { spec: { podSets } } as unknown as JsonObject;
    expect(() => world.patch('workloads', 'a', change)).toThrow('field is immutable');
  });
});
