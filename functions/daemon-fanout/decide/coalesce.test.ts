import { describe, expect, it } from 'vitest';
import { at, daemonJob, job, snapshot, started } from '../testing/builders.ts';
import { after, decided } from '../testing/decided.ts';

/** Two nodes with running Jobs, all of it recorded. */
const running = (() => {
  const status = started(
    { a: 'Started', b: 'Started' },
    { lastUpdateTime: at(10), active: 2, desired: 2 },
  );
  const jobs = [job('a', 'running'), job('b', 'running')];
  const seen = snapshot(daemonJob({ status }), { nodes: ['a', 'b'], jobs });
  return after(seen, decided(seen, 12));
})();

const withStatus = (fields: object) => ({
  ...running,
  daemonJob: { ...running.daemonJob, status: { ...running.daemonJob.status, ...fields } },
});

it('nothing is written where everything is on record', () => {
  expect(decided(running, 12.5).decision.plan).toEqual([]);
});

describe('the start of a DaemonJob', () => {
  it('that was earlier than was thought comes with other news', () => {
    const jobs = running.jobs.map((each) => ({ ...each, creationTimestamp: at(-5) }));
    const soon = decided({ ...running, jobs }, 12.5);
    expect(soon.writesStatus).toBe(false);
    expect(decided({ ...running, jobs }, 13).status.startTime).toBe(at(-5));
  });

  it('is the same within one second, the precision of times in Kubernetes', () => {
    const jobs = running.jobs.map((each) => ({ ...each, creationTimestamp: at(-1) }));
    expect(decided({ ...running, jobs }, 60).writesStatus).toBe(false);
  });
});

describe('a status with fields of another version', () => {
  const newer = withStatus({ future: 'kept' });

  it('keeps them: what this version does not know is not its to remove', () => {
    const jobs = [job('a', 'complete'), job('b', 'complete')];
    const result = decided({ ...newer, jobs }, 20);
    const patches = result.decision.plan.flat().filter(({ kind }) => kind === 'patchStatus');
    expect(patches).toHaveLength(1);
    expect(JSON.stringify(patches)).not.toContain('future');
  });

  it('is no reason to write', () => {
    expect(decided(newer, 12.5).decision.plan).toEqual([]);
  });
});

it('a new generation is written at once', () => {
  const metadata = { ...running.daemonJob.metadata, generation: 2 };
  const edited = { ...running, daemonJob: { ...running.daemonJob, metadata } };
  const result = decided(edited, 12.5);
  expect(result.writesStatus).toBe(true);
  expect(result.status.observedGeneration).toBe(2);
});
