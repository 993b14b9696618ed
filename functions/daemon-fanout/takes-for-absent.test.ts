import { describe, expect, it } from 'vitest';
import type { ObjectMeta } from '#shared/domain/objects.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import type { DaemonSnapshot } from './snapshot.ts';
import { takesForAbsent } from './takes-for-absent.ts';
import { daemonJob, job, snapshot, started } from './testing/builders.ts';
import { after, decided } from './testing/decided.ts';

const failFast = daemonJob({
  spec: { failurePolicy: 'FailFast' },
  status: started({ a: 'Started' }),
});
const nodes = ['a', 'b'];
const absentIn = (each: DaemonSnapshot) => takesForAbsent(each, decided(each, 5).decision);

describe('an end by a view that may lack a Job', () => {
  const cutShort = snapshot(failFast, { nodes, jobs: [job('a', 'failed')] });

  it('is asked about when a node waits, on which nothing was started by what is seen', () => {
    expect(decided(cutShort, 5).status).toMatchObject({ state: 'Failed', waiting: 1 });
    expect(absentIn(cutShort)).toBe(resources.Job);
  });

  it.each<[string, DaemonSnapshot]>([
    [
      'with a Job on every node',
      snapshot(failFast, { nodes, jobs: [job('a', 'failed'), job('b', 'complete')] }),
    ],
    [
      'that is not reached yet',
      snapshot(failFast, { nodes, jobs: [job('a', 'failed'), job('b', 'running')] }),
    ],
    ['that is recorded already', after(cutShort, decided(cutShort, 5))],
  ])('is not asked about: %s', (_, each) => {
    expect(absentIn(each)).toBeUndefined();
  });
});

describe('a queued DaemonJob that has stopped, by a view that may lack a Job that would run without quota', () => {
  const stopped = (metadata: Partial<ObjectMeta>) => {
    const each = daemonJob({ spec: { suspend: true }, status: started() });
    const own = { ...each.metadata, generation: 2, ...metadata };
    return snapshot({ ...each, metadata: own }, { nodes });
  };
  const inQueue = { labels: { [queueLabel]: 'team' } };

  it('is asked about before its status says so', () => {
    expect(absentIn(stopped(inQueue))).toBe(resources.Job);
  });

  it('is not asked about once its status says so', () => {
    const each = stopped(inQueue);
    expect(absentIn(after(each, decided(each, 5)))).toBeUndefined();
  });

  it('is not asked about without a queue', () => {
    expect(absentIn(stopped({}))).toBeUndefined();
  });
});
