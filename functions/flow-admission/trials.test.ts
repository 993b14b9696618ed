import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { submitterText } from '#shared/domain/submitter.ts';
import { decide } from './decide.ts';
import type { SubmissionFacts } from './facts.ts';
import { withSubmitter } from './submission.ts';
import { ann, daemonJob, flow, job, step, template, update } from './testing/reviews.ts';
import { facts, decided, messageOf, warningsOf } from './testing/decided.ts';

describe('the trials', () => {
  const object = flow([step('a')]);
  const trial = (of: SubmissionFacts['trials'][number]) => ({ trials: { 0: of } });

  it('a Job that the API server will never take is refused in its words', () => {
    const rejection = { code: 'Invalid', message: 'Job.batch "etl-a" is invalid: x' } as const;
    expect(messageOf(decided(object, trial({ rejection, warnings: [] })))).toBe(
      '422 Invalid: step "a": Job.batch "etl-a" is invalid: x',
    );
  });

  it.each(['Forbidden', 'QuotaExceeded', 'Refused'] as const)(
    'a Job that is %s now may be taken later: a warning',
    (code) => {
      const rejection = { code, message: 'not now' };
      expect(decided(object, trial({ rejection, warnings: [] }))).toEqual({
        allowed: true,
        warnings: ['its Jobs would not be created now: not now'],
      });
    },
  );

  it('what the API server remarks is handed on', () => {
    expect(warningsOf(decided(object, trial({ warnings: ['x is deprecated'] })))).toEqual([
      'step "a": x is deprecated',
    ]);
  });

  describe('a field that the API server does not know', () => {
    const field = 'spec.template.spec.containers[0].comand';
    const unknown = trial({ warnings: [`unknown field "${field}"`] });
    const misspelt = (comand: string) => [step('a', { jobTemplate: misspeltJob(comand) })];
    const misspeltJob = (comand: string) =>
      job({ containers: [{ name: 'main', image: 'busybox', comand: [comand] }] });
    const by = (before: JsonObject, after: JsonObject, known: Partial<SubmissionFacts> = {}) =>
      decide(
        update(...([before, after].map((of) => withSubmitter(of, submitterText(ann))) as Pair)),
        { ...facts, ...unknown, ...known },
      );
    type Pair = [JsonObject, JsonObject];
    const words =
      'template.spec.containers[0].comand: the API server does not know this field, and the Job would run without it';
    const advice =
      'correct its spelling or its place, or remove it (kubectl explain job.spec.template.spec.containers)';

    it.each<[string, JsonObject]>([
      ['step "a"', flow(misspelt('run'))],
      ['spec.jobTemplate', template(misspeltJob('run'))],
      ['the Job of each node', daemonJob(misspeltJob('run'))],
    ])('is refused on creation in %s', (of, submitted) => {
      expect(messageOf(decided(submitted, unknown))).toBe(
        `422 Invalid: ${of}: ${words}; ${advice}`,
      );
    });

    it('is refused in a JobTemplate that a new flow refers to', () => {
      const templates = { t: misspeltJob('run') as never };
      const referring = flow([{ name: 'a', jobTemplateRef: 't' }]);
      expect(messageOf(decided(referring, { ...unknown, templates }))).toContain(words);
      expect(
        by(referring, flow([{ name: 'a', jobTemplateRef: 't' }], { failurePolicy: 'FailFast' }), {
          templates,
        }),
      ).toMatchObject({ allowed: true });
    });

    it.each<[string, JsonObject, JsonObject]>([
      ['added', flow([step('a')]), flow(misspelt('run'))],
      ['changed', flow(misspelt('run')), flow(misspelt('walk'))],
      ['added to a template', template(job()), template(misspeltJob('run'))],
      ['added to a DaemonJob', daemonJob(job()), daemonJob(misspeltJob('run'))],
      ['there in what was never valid', flow([]), flow(misspelt('run'))],
      [
        'there in what no Job could be made of',
        daemonJob({ template: { spec: {} } }),
        daemonJob(misspeltJob('run')),
      ],
    ])('is refused on an update when it is %s', (_, before, after) => {
      expect(messageOf(by(before, after))).toContain(`${words}; ${advice}`);
    });

    it('is a warning in what is stored, beside what else the API server remarks', () => {
      const stored = flow(misspelt('run'));
      const edited = flow(misspelt('run'), { failurePolicy: 'FailFast' });
      const remarked = trial({ warnings: ['x is deprecated', `unknown field "${field}"`] });
      expect(by(stored, edited, remarked)).toEqual({
        allowed: true,
        warnings: ['step "a": x is deprecated', `step "a": ${words}`],
      });
    });

    it.each<[string, string, JsonObject, JsonObject]>([
      [
        'the rest of a flow changes',
        'step "a"',
        flow(misspelt('run')),
        flow(misspelt('run'), { globalParams: { labels: { team: 'a' } } }),
      ],
      [
        'another field of the container changes',
        'spec.jobTemplate',
        template(misspeltJob('run')),
        template(job({ containers: [{ name: 'main', image: 'busybox:2', comand: ['run'] }] })),
      ],
      [
        'the nodes of a DaemonJob change',
        'the Job of each node',
        daemonJob(misspeltJob('run')),
        daemonJob({ ...misspeltJob('run'), excludeNodeList: 'n' }),
      ],
    ])('is a warning in what is stored, when %s', (_, of, before, after) => {
      expect(by(before, after)).toEqual({ allowed: true, warnings: [`${of}: ${words}`] });
    });
  });

  it('a taken name is reported on creation, and is its own Job afterwards', () => {
    const taken = trial({ warnings: [], isTaken: true });
    expect(warningsOf(decided(object, taken))).toEqual([
      'step "a": there is a Job etl-a already, and nothing starts under its name until it is gone',
    ]);
    const recorded = withSubmitter(object, submitterText(ann));
    const edited = withSubmitter(flow([step('a')], { suspend: true }), submitterText(ann));
    expect(decide(update(recorded, edited), { ...facts, ...taken })).toEqual({ allowed: true });
  });

  it('what was not tried is said', () => {
    const two = flow([step('a'), step('b', { jobTemplate: job({ nodeSelector: { a: 'b' } }) })]);
    expect(warningsOf(decided(two))).toEqual([
      '1 of 2 different Jobs were tried with the API server; a fault in the others is reported when they start',
    ]);
  });
});
