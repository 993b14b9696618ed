import { describe, expect, it } from 'vitest';
import type { FlowStep } from '#shared/api/job-flow.ts';
import { at, flow, job, record, snapshot, started, step, t0 } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';
import { resources } from '#shared/domain/resources.ts';

function verdictOn(steps: readonly FlowStep[], name?: string) {
  const jobflow = flow(steps, name === undefined ? {} : { name });
  const result = decided(snapshot(jobflow));
  expect(result.creates).toEqual(result.status.state === 'Failed' ? [] : expect.anything());
  const accepted = result.status.conditions?.find(({ type }) => type === 'Accepted');
  return { ...result, reason: accepted?.reason, message: accepted?.message ?? '' };
}

describe('a cyclic flow that was stored all the same fails, and nothing of it starts (rule 19)', () => {
  it.each([
    ['a self loop', [step('a', { after: ['a'] })], 'a -> a'],
    ['two steps', [step('a', { after: ['b'] }), step('b', { after: ['a'] })], 'a -> b -> a'],
    [
      'three steps',
      [step('a', { after: ['b'] }), step('b', { after: ['c'] }), step('c', { after: ['a'] })],
      'a -> b -> c -> a',
    ],
    [
      'a cycle beside a healthy root (volcano#4125)',
      [step('root'), step('a', { after: ['root', 'b'] }), step('b', { after: ['a'] })],
      'a -> b -> a',
    ],
  ])('%s', (_, steps, path) => {
    const result = verdictOn(steps);
    expect(result.status.state).toBe('Failed');
    expect(result.reason).toBe('CycleDetected');
    expect(result.message).toContain(path);
    expect(result.condition('Failed')).toBe('True/CycleDetected');
    expect(result.creates).toEqual([]);
    expect(result.events).toEqual(['CycleDetected', 'Failed']);
  });
});

describe('an invalid flow that was stored all the same fails with the fault by name', () => {
  const { jobTemplate, ...bare } = step('a');
  const volume = (name: string, claimName: string) => ({
    name,
    persistentVolumeClaim: { claimName },
  });
  const containers = [{ name: 'main', image: 'busybox' }];
  it.each<readonly [string, readonly FlowStep[], string]>([
    ['no steps', [], 'no steps'],
    ['an unknown dependency', [step('a', { after: ['ghost'] })], 'ghost'],
    ['a name that is used twice', [step('twin'), step('twin')], 'twin'],
    ['a name with a dot', [step('a.b')], 'a.b'],
    ['a name that ends like a retry', [step('a-r2')], 'a-r2'],
    ['neither template nor reference', [bare], 'exactly one'],
    ['both template and reference', [{ ...step('a'), jobTemplateRef: 't' }], 'exactly one'],
    [
      'one volume name with two sources',
      [
        step('a', {
          shareVolumes: [volume('data', 'one')],
          jobTemplate: {
            template: { spec: { containers, volumes: [volume('data', 'other')] } },
          },
        }),
      ],
      'data',
    ],
    [
      'an Indexed Job whose Pods would get too long a name',
      [
        step('s'.repeat(52), {
          jobTemplate: {
            completionMode: 'Indexed',
            completions: 1000,
            ...jobTemplate!,
          },
        }),
      ],
      'Indexed',
    ],
    ['more than 5,000 steps', Array.from({ length: 5_001 }, (_, i) => step(`s${i}`)), '5001'],
    [
      'a dependency that is named twice',
      [step('a'), step('b', { after: ['a', 'a'] })],
      'spec.flows[1].dependencies[1]',
    ],
    [
      'a volume that is there twice',
      [step('a', { shareVolumes: [volume('data', 'one'), volume('data', 'one')] })],
      'spec.flows[0].shareVolumes[1]',
    ],
  ])('%s', (_, steps, words) => {
    const result = verdictOn(steps);
    expect(result.status.state).toBe('Failed');
    expect(result.reason).toBe('InvalidSpec');
    expect(result.message).toContain(words);
    expect(result.status.jobStatusList).toBeUndefined();
  });

  it('names too long together, with both lengths; one character less runs', () => {
    const name = 'f'.repeat(40);
    const tooLong = verdictOn([step('s'.repeat(23))], name);
    expect(tooLong.status.state).toBe('Failed');
    expect(tooLong.message).toMatch(/40.*23/);
    expect(verdictOn([step('s'.repeat(18))], name).status.state).toBe('Running');
  });
});

it('a flow has 5,000 steps at most', () => {
  const of = (count: number) => Array.from({ length: count }, (_, index) => step(`s${index}`));
  expect(verdictOn(of(5_000)).reason).toBe('Valid');
  expect(verdictOn(of(5_001)).message).toContain('5001 steps, at most 5000');
});

it('a started flow is what was started while nothing asks for a comparison', () => {
  const status = started([record('a', 'Running')], { flowsHash: 'hash-at-start' });
  const { flowsHash, ...seen } = snapshot(flow([step('a')], { status }));
  expect(flowsHash).toBe('hash-of-flows');
  const result = decided({ ...seen, jobs: [job('a', 'complete')] });
  expect(result.status.state).toBe('Succeed');
});

describe('after a rejection', () => {
  const cyclic = [step('a', { after: ['a'] })];
  const rejected = decided(snapshot(flow(cyclic))).status;

  it('nothing is written again while nothing changes', () => {
    const again = decided(snapshot(flow(cyclic, { status: rejected })), 3600);
    expect(again.decision.plan).toEqual([]);
  });

  it('a flow that was corrected is run, since nothing of it had run', () => {
    const corrected = flow([step('a')], { status: rejected, generation: 2 });
    const result = decided(snapshot(corrected));
    expect(result.creates).toEqual(['etl-a']);
    expect(result.status).toMatchObject({ state: 'Running', startTime: at(0) });
    expect(result.condition('Accepted')).toBe('True/Valid');
    expect(result.condition('Failed')).toBe('False/Restarted');
    expect(result.events).toEqual(['Started']);
  });

  it('a flow that is asked for anew, and is as it was, stays rejected without a word', () => {
    const again = decided(snapshot(flow(cyclic, { status: rejected, retry: '1' })));
    expect(again.status).toMatchObject({ state: 'Failed', retryNonce: '1' });
    expect(again.events).toEqual([]);
  });

  it('the TTL of the flow runs as for any other end', () => {
    const spec = { ttlSecondsAfterFinished: 60 };
    const result = decided(snapshot(flow(cyclic, { spec })));
    expect(result.decision.requeueAtMs).toBe(t0 + 60_000);
    const due = flow(cyclic, { spec, status: result.status });
    expect(decided(snapshot(due), 60).deletes).toMatchObject([{ resource: resources.JobFlow }]);
  });
});
