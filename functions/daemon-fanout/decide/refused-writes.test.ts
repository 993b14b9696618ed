import { describe, expect, it } from 'vitest';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { withRejections } from '../snapshot.ts';
import { daemonJob, job, snapshot, started } from '../testing/builders.ts';
import { after, decided } from '../testing/decided.ts';

function refusing(
  { name, uid }: ObservedJob,
  code: Rejection['code'] = 'Refused',
  message = 'a webhook denied the request',
): Rejection {
  return { name, uid, code, message };
}

describe('a change of a Job that the API server refuses', () => {
  const jobs = [job('a', 'running'), job('b', 'running')];
  const status = started({ a: 'Started', b: 'Started' });
  const nodes = ['a', 'b', 'c'];
  const suspended = snapshot(daemonJob({ spec: { suspend: true }, status }), { nodes, jobs });

  it('blocks the DaemonJob with the reason, while the others are changed', () => {
    expect(decided(suspended).patches).toHaveLength(2);
    const result = decided(withRejections(suspended, [refusing(jobs[0]!)]));
    expect(result.patches).toHaveLength(1);
    expect(result.status).toMatchObject({
      reason: 'Refused',
      message: 'Job wipe-a cannot be changed: a webhook denied the request',
    });
    expect(result.condition('Blocked')).toBe('True/Refused');
    expect(result.events).toContain('Refused');
    expect(result.again).toBe(5);
    const later = withRejections(after(suspended, result), [refusing(jobs[0]!)]);
    expect(decided(later, 100)).toMatchObject({ writesStatus: false, again: 160 });
  });

  it('keeps no other node from its Job, and is no invalid template', () => {
    const spec = { excludeNodeList: 'a' };
    const ledger = started({ a: 'Retired', b: 'Started' });
    const from = snapshot(daemonJob({ spec, status: ledger }), { nodes, jobs });
    expect(decided(from)).toMatchObject({ deletes: ['wipe-a'], creates: ['c'] });
    const result = decided(withRejections(from, [refusing(jobs[0]!, 'Invalid')]));
    expect(result.deletes).toEqual([]);
    expect(result.creates).toEqual(['c']);
    expect(result.condition('Blocked')).toBe('True/Refused');
    expect(result.status.state).toBe('Running');
  });
});
