import { describe, expect, it } from 'vitest';
import { type KubeObject } from '#shared/domain/objects.ts';
import {
  admission,
  admitted,
  decided,
  patchesIn,
  queuedFlow,
  running,
  snapshotOf,
  words,
  workloadOf,
} from '../testing/queued.ts';

describe('what of a Workload follows its flow at any time', () => {
  const ref = (name: string, kind = 'WorkloadPriorityClass') => ({
    group: 'kueue.x-k8s.io',
    ...{ kind, name },
  });
  const labelled = (name?: string) =>
    queuedFlow({
      metadata: {
        labels: {
          'kueue.x-k8s.io/queue-name': 'main',
          ...(name === undefined ? {} : { 'kueue.x-k8s.io/priority-class': name }),
        },
      },
      spec: running,
    });
  const high = { kind: 'known', value: 9, classRef: ref('high') } as const;
  const having = (job: KubeObject, priorityClassRef?: object, conditions = {}): KubeObject => {
    const made = workloadOf(job, conditions, { admission });
    const own = priorityClassRef === undefined ? {} : { priorityClassRef };
    return { ...made, spec: { ...(made.spec as object), ...own } };
  };

  it('is its priority class, also while it runs', () => {
    const workloads = [having(queuedFlow(), ref('low'), admitted)];
    const operations = decided(snapshotOf(labelled('high'), { workloads, priority: high }));
    expect(words(operations)).toEqual(['patch Workload', 'Event UpdatedWorkload']);
    expect(patchesIn(operations)).toEqual([
      { spec: { priority: 9, priorityClassRef: ref('high') } },
    ]);
  });

  it.each([
    ['the class is the same', labelled('high'), ref('high')],
    ['the class is one of Pods', labelled('high'), ref('p', 'PriorityClass')],
    ['quota was reserved without one', labelled('high'), undefined],
  ])('stays where %s', (_, job, known) => {
    const workloads = [having(queuedFlow(), known, admitted)];
    expect(decided(snapshotOf(job, { workloads, priority: high }))).toEqual([]);
  });

  it('stays where there is no class of the name, and an Event says so', () => {
    const workloads = [having(queuedFlow(), ref('low'), admitted)];
    const priority = { kind: 'missing', className: 'gone' } as const;
    const operations = decided(snapshotOf(labelled('gone'), { workloads, priority }));
    expect(operations).toMatchObject([
      {
        kind: 'emitEvent',
        ...{ type: 'Warning', reason: 'WorkloadPriorityClassNotFound' },
        note: 'there is no WorkloadPriorityClass "gone"',
      },
    ]);
  });

  it('are the gates of its admission, which are there from the beginning', () => {
    const gates = 'kueue.x-k8s.io/admission-gated-by';
    const gated = (text?: string) =>
      queuedFlow({
        metadata: {
          labels: { 'kueue.x-k8s.io/queue-name': 'main' },
          ...(text === undefined ? {} : { annotations: { [gates]: text } }),
        },
      });
    const [create] = decided(snapshotOf(gated('a.io/b')));
    expect(create?.kind === 'create' && create.object.metadata.annotations).toEqual({
      [gates]: 'a.io/b',
    });
    const workloads = [workloadOf(gated('a.io/b'))];
    const opened = decided(snapshotOf(gated(), { workloads }));
    expect(words(opened)).toEqual(['patch Workload', 'Event UpdatedWorkload']);
    expect(patchesIn(opened)).toEqual([{ metadata: { annotations: { [gates]: null } } }]);
  });
});
