import { describe, expect, it } from 'vitest';
import { asResourceVersion, asUid } from '#shared/domain/objects.ts';
import {
  admission,
  admitted,
  decided,
  decision,
  patchesIn,
  queuedFlow,
  snapshotOf,
  spot,
  stopped,
  words,
  workloadOf,
} from '../testing/queued.ts';

describe('a Job that an earlier admission has placed', () => {
  const own = { nodeSelector: { zone: 'a' } };
  const suspendedJob = {
    name: 'etl-a',
    uid: asUid('j'),
    resourceVersion: asResourceVersion('3'),
    podSet: 'a',
    nodeSelector: { zone: 'a', pool: 'gold' },
    own,
  };
  const job = queuedFlow({ status: stopped });
  const workloads = [workloadOf(queuedFlow(), admitted, { admission })];

  it('is placed anew before the flow is resumed', () => {
    const snapshot = snapshotOf(job, { workloads, flavors: spot, suspendedJobs: [suspendedJob] });
    const operations = decided(snapshot);
    expect(words(operations)).toEqual(['patch Job', 'patch JobFlow', 'Event Started']);
    expect(patchesIn(operations)[0]).toEqual({
      spec: {
        template: {
          spec: { nodeSelector: { zone: 'a', pool: 'spot' }, tolerations: [{ key: 'spot' }] },
        },
      },
    });
  });

  it('keeps its place where it is the same', () => {
    const same = {
      ...suspendedJob,
      nodeSelector: { zone: 'a', pool: 'spot' },
      tolerations: [{ key: 'spot' }],
    };
    const snapshot = snapshotOf(job, { workloads, flavors: spot, suspendedJobs: [same] });
    expect(words(decided(snapshot))).toEqual(['patch JobFlow', 'Event Started']);
  });

  it('holds the flow back, and says so, where the API server refuses', () => {
    const rejections = [{ name: 'etl-a', code: 'Invalid' as const, message: 'field is immutable' }];
    const result = decision(snapshotOf(job, { workloads, flavors: spot, rejections }));
    expect(words(result.plan.flat())).toEqual(['Event Invalid', 'patch JobFlow']);
    expect(result.reasons[0]?.message).toContain('field is immutable');
  });
});
