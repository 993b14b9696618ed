import { describe, expect, it } from 'vitest';
import type { DaemonJobSpec } from '#shared/api/daemon-job.ts';
import {
  cordoned,
  daemonJob,
  type DaemonJobFields,
  job,
  node,
  started,
} from '../testing/builders.ts';
import { mayStart } from './may-start.ts';

const nodes = ['a', 'b', 'c', 'd'].map((name) => node(name));

function starts(fields: DaemonJobFields, jobs: Parameters<typeof mayStart>[2] = []): boolean {
  return mayStart(daemonJob({ ...fields, spec: { parallelism: 1, ...fields.spec } }), nodes, jobs);
}

describe('under a limit a Job may be created', () => {
  it('while fewer run, also by a share of the nodes', () => {
    const running = [job('a', 'running'), job('b', 'pending')];
    const limits: readonly (readonly [NonNullable<DaemonJobSpec['parallelism']>, boolean])[] = [
      [2, false],
      [3, true],
      ['50%', false],
      ['51%', true],
    ];
    for (const [parallelism, may] of limits) {
      expect(starts({ spec: { parallelism } }, running)).toBe(may);
    }
    expect(starts({}, [job('a', 'complete')])).toBe(true);
  });

  it('while fewer run than a share of those nodes that can run it or have run it', () => {
    const owner = (fields: DaemonJobFields = {}) =>
      daemonJob({ ...fields, spec: { parallelism: '50%', excludeNodeList: 'd' } });
    const some = [node('a'), node('b'), node('c', { skip: cordoned }), node('d')];
    const jobs = [job('a', 'running')];
    expect(mayStart(owner(), some, [])).toBe(true);
    expect(mayStart(owner(), some, jobs)).toBe(false);
    expect(mayStart(owner(), some, [...jobs, job('c', 'complete')])).toBe(true);
    expect(mayStart(owner({ status: started({ d: 'Succeeded' }) }), some, jobs)).toBe(true);
  });

  it('not without a limit, and not while nothing may start', () => {
    expect(mayStart(daemonJob(), nodes, [])).toBe(false);
    expect(starts({ spec: { suspend: true } })).toBe(false);
    expect(starts({ spec: { paused: true } })).toBe(false);
    const status = { state: 'Failed', observedGeneration: 1 } as const;
    expect(starts({ status })).toBe(false);
    expect(starts({ status, generation: 2 })).toBe(true);
    const contradiction = { completionPolicy: 'Never', ttlSecondsAfterFinished: 0 } as const;
    expect(starts({ status, generation: 2, spec: contradiction })).toBe(false);
  });

  it('while a node has none of the attempt that is due', () => {
    const ended = nodes.slice(1).map(({ name }) => job(name, 'complete'));
    expect(starts({}, [job('a', 'failed'), ...ended])).toBe(false);
    expect(starts({}, [job('a', 'failed', { machine: 'another' }), ...ended])).toBe(true);
    for (const state of ['Started', 'Succeeded', 'Failed', 'Cancelled'] as const) {
      expect(starts({ status: started({ a: state }) }, ended)).toBe(false);
    }
    expect(starts({ status: started({ a: 'Retired' }) }, ended)).toBe(true);
    const retrying = started({ a: { state: 'Retrying', attempt: 1 } });
    expect(starts({ status: retrying }, [job('a', 'failed'), ...ended])).toBe(true);
    expect(starts({ status: started({ a: 'Failed' }), retry: 'again' }, ended)).toBe(true);
  });

  it('only where a node can run it', () => {
    const open = [node('a', { skip: cordoned }), node('b')];
    const spec = { parallelism: 1, excludeNodeList: 'b' };
    expect(mayStart(daemonJob({ spec }), open, [])).toBe(false);
    expect(mayStart(daemonJob({ spec: { parallelism: 1 } }), open, [])).toBe(true);
  });
});
