import { describe, expect, it } from 'vitest';
import type { JobFlowSpec } from '#shared/api/job-flow.ts';
import { at, flow, record, snapshot, started, step } from '../testing/builders.ts';
import { decided, withRetry } from '../testing/decided.ts';

const steps = [
  step('done'),
  step('load', { after: ['done'] }),
  step('report', { after: ['load'] }),
  step('mail', { after: ['report'] }),
  step('index', { after: ['done'] }),
  step('both', { after: ['load', 'index'] }),
];
const over = started(
  [
    record('done', 'Succeed'),
    record('load', 'Failed'),
    record('report', 'Skipped'),
    record('mail', 'Skipped'),
    record('index', 'Failed'),
    record('both', 'Skipped'),
  ],
  { state: 'Failed', reason: 'StepFailed', message: 'failed: load, index', completionTime: at(9) },
);
const asking = (retry: string, spec: Partial<JobFlowSpec> = {}, flows = steps) =>
  snapshot(flow(flows, { status: over, retry, spec }));
const asked = (...of: Parameters<typeof asking>) => decided(asking(...of));
const begun = (...of: Parameters<typeof asking>) => decided(withRetry(asking(...of))).creates;
const noteOf = ({ decision }: ReturnType<typeof asked>, reason: string) =>
  decision.plan
    .flat()
    .flatMap((each) => (each.kind === 'emitEvent' && each.reason === reason ? [each.note] : []));

describe('a retry of chosen steps (rule 13)', () => {
  it('starts those and what depends on them and was skipped, and nothing else', () => {
    expect(begun('load@1')).toEqual(['etl-load-r1']);
    const result = asked('load@1');
    expect(result.step('report').state).toBe('Waiting');
    expect(result.step('mail').state).toBe('Waiting');
    expect(result.step('index')).toEqual(record('index', 'Failed'));
    expect(result.step('both')).toEqual(record('both', 'Skipped'));
    expect(result.status).toMatchObject({ state: 'Running', retryNonce: 'load@1' });
    expect(result.events).toContain('RetryRequested');
  });

  it('starts what depends on several of them when all are named', () => {
    expect(begun('load,index@again')).toEqual(['etl-load-r1', 'etl-index-r1']);
    expect(asked('load,index@again').step('both').state).toBe('Waiting');
  });

  it('takes a skipped step along that is named with what it depends on', () => {
    expect(begun('report,load@1')).toEqual(['etl-load-r1']);
  });

  it('takes everything along that was skipped once it names the last failed step', () => {
    const flows = [step('bad'), step('idle'), step('last', { after: ['idle'] })];
    const records = [
      record('bad', 'Failed'),
      record('idle', 'Skipped', { reason: 'FailFast' }),
      record('last', 'Skipped'),
    ];
    const status = started(records, { state: 'Failed', completionTime: at(9) });
    const spec = { failurePolicy: 'FailFast' } as const;
    const result = decided(withRetry(snapshot(flow(flows, { status, retry: 'bad@1', spec }))));
    expect(result.creates).toEqual(['etl-bad-r1', 'etl-idle']);
    expect(result.step('last').state).toBe('Waiting');
  });

  it('takes a time as the difference from the retry before', () => {
    expect(begun('load@2026-11-26T21:10:43+01:00')).toEqual(['etl-load-r1']);
  });

  it.each([
    ['1'],
    ['2026-11-26T21:10:43+01:00'],
    ['c0ffee00-aaaa-4bbb-8ccc-123456789abc'],
    ['after the outage'],
    ['retry-1'],
  ])('retries all that failed or was skipped by a value that names no steps: %s', (value) => {
    expect(begun(value)).toEqual(['etl-load-r1', 'etl-index-r1']);
    expect(asked(value).condition('RetryRefused')).toBeUndefined();
  });

  it('takes a number for no name, also where a step is called so', () => {
    const numbered = steps.map((each) =>
      each.name === 'done'
        ? { ...each, name: '1' }
        : {
            ...each,
            dependencies: (each.dependencies ?? []).map((name) => (name === 'done' ? '1' : name)),
          },
    );
    expect(begun('1', {}, numbered)).toEqual(['etl-load-r1', 'etl-index-r1']);
  });
});

describe('a retry that names what cannot be retried', () => {
  it.each([
    [
      'a step that there is none of',
      'load,lod@1',
      'UnknownStep',
      'nothing is retried: the flow has no step lod',
    ],
    [
      'a step that succeeded',
      'done,load@1',
      'StepSucceeded',
      'nothing is retried: done succeeded, and a step that succeeded never runs again',
    ],
    [
      'a skipped step without the one that failed before it',
      'report@1',
      'UpstreamNotRetried',
      'nothing is retried: report depends on load: name that as well',
    ],
    ['no value behind the names', 'load@', 'UnreadableRetry', '"load@" cannot be read'],
    ['a blank', 'load, index@1', 'UnreadableRetry', '"load, index@1" cannot be read'],
    ['names and no value', 'load,index', 'UnreadableRetry', '"load,index" cannot be read'],
    ['one name and no value', 'load', 'UnreadableRetry', '"load" cannot be read'],
    ['the value in front', '2:load', 'UnreadableRetry', '"2:load" cannot be read'],
    ['the value first', '2@load', 'UnknownStep', 'the flow has no step 2'],
  ])('is refused as a whole, and reported: %s', (_, value, reason, words) => {
    const result = asked(value);
    expect(result.creates).toEqual([]);
    expect(result.status).toMatchObject({
      state: 'Failed',
      reason: 'StepFailed',
      retryNonce: value,
    });
    expect(result.condition('RetryRefused')).toBe(`True/${reason}`);
    expect(result.events).toEqual(['RetryRefused']);
    const [note] = noteOf(result, 'RetryRefused');
    expect(note).toContain(words);
    expect(result.decision.reasons).toContainEqual({
      code: reason,
      message: expect.stringContaining(words) as string,
    });
  });

  it.each(['FailFast', 'CancelRunning'] as const)(
    'is refused with %s while another failed step is left, which would stop it at once',
    (failurePolicy) => {
      const result = asked('load@1', { failurePolicy });
      expect(result.condition('RetryRefused')).toBe('True/FailurePolicy');
      expect(noteOf(result, 'RetryRefused')[0]).toContain(
        `with failurePolicy ${failurePolicy} nothing starts while index is failed: name that as well, or set ContinueIndependent`,
      );
      expect(begun('load,index@1', { failurePolicy })).toEqual(['etl-load-r1', 'etl-index-r1']);
    },
  );

  it('is refused while the step runs, and the flow continues', () => {
    const running = {
      ...over,
      state: 'Running' as const,
      jobStatusList: over.jobStatusList!.map((each) =>
        each.name === 'index' ? record('index', 'Running') : each,
      ),
    };
    const result = decided(snapshot(flow(steps, { status: running, retry: 'index@1' })));
    expect(result.creates).toEqual([]);
    expect(result.condition('RetryRefused')).toBe('True/StepNotFailed');
    expect(result.status.state).toBe('Running');
    expect(result.events).toContain('RetryRefused');
  });

  it('is reported once, and each further one again', () => {
    const refused = asked('typo@1').status;
    const again = decided(snapshot(flow(steps, { status: refused, retry: 'typo@1' })), 60);
    expect(again.decision.plan).toEqual([]);
    const other = decided(snapshot(flow(steps, { status: refused, retry: 'typo@2' })), 60);
    expect(other.events).toEqual(['RetryRefused']);
  });

  it('is forgotten when one is accepted', () => {
    const refused = asked('typo@1').status;
    const accepted = withRetry(snapshot(flow(steps, { status: refused, retry: 'load@2' })), 60);
    const result = decided(accepted, 60);
    expect(result.condition('RetryRefused')).toBe('False/Accepted');
    expect(result.creates).toEqual(['etl-load-r1']);
  });
});
