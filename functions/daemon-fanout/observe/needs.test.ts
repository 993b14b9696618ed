import { describe, expect, it } from 'vitest';
import type { DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { at, daemonJob, started, type DaemonJobFields } from '../testing/builders.ts';
import { needsHash } from '#shared/parents/acceptance.ts';
import { needsCluster, needsJobs } from './needs.ts';

const over = started({ a: 'Failed' }, { state: 'Failed', completionTime: at(9) });
const refused: DaemonJobStatus = { state: 'Failed', observedGeneration: 1 };
const accepted = (status: 'True' | 'False') => ({
  type: 'Accepted',
  status,
  reason: 'r',
  message: 'm',
  lastTransitionTime: at(0),
  observedGeneration: 1,
});

type Case = readonly [string, DaemonJobFields, boolean];

describe('the hash of what is frozen', () => {
  it.each<Case>([
    ['is read before the start', {}, true],
    ['is not read while nothing was changed', { status: started() }, false],
    ['is read after a change', { status: started(), generation: 2 }, true],
    [
      'is read for a retry: a change after the end was noted unseen',
      { status: over, retry: '1' },
      true,
    ],
    [
      'is not read for a retry that is on record',
      { status: { ...over, retryNonce: '1' }, retry: '1' },
      false,
    ],
    [
      'is read while it stands still because of a change',
      { status: started({}, { conditions: [accepted('False')] }) },
      true,
    ],
    [
      'is not read where the change was taken back',
      { status: started({}, { conditions: [accepted('True')] }) },
      false,
    ],
  ])('%s', (_what, fields, wanted) => {
    expect(needsHash(daemonJob(fields))).toBe(wanted);
  });
});

describe('nodes', () => {
  it.each<Case>([
    ['are read before the start', {}, true],
    ['are read while it runs', { status: started() }, true],
    ['are not read of one that is over', { status: over }, false],
    ['are read for a retry after the end', { status: over, retry: '1' }, true],
    [
      'are read of one that goes on for ever',
      { status: over, spec: { completionPolicy: 'Never' } },
      true,
    ],
    ['are not read of one that was refused', { status: refused }, false],
    ['are read where what was refused has changed', { status: refused, generation: 2 }, true],
    ['are not read of a change after the end', { status: over, generation: 2 }, false],
    ['are not read of one that is being deleted', { deletionTimestamp: at(1) }, false],
    [
      'are not read for a retry of one that is being deleted',
      { status: over, retry: '1', deletionTimestamp: at(1) },
      false,
    ],
  ])('%s', (_what, fields, wanted) => {
    expect(needsCluster(daemonJob(fields))).toBe(wanted);
  });
});

describe('Jobs', () => {
  it.each<Case>([
    ['are not read before the start', {}, false],
    ['are read of one that is over, of which one may be left', { status: over }, true],
    ['are not read of one that never started', { status: refused }, false],
    [
      'are not read of one that is being deleted',
      { status: over, deletionTimestamp: at(1) },
      false,
    ],
  ])('%s', (_what, fields, wanted) => {
    expect(needsJobs(daemonJob(fields))).toBe(wanted);
  });
});
