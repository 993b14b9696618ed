import { describe, expect, it } from 'vitest';
import type { Review } from '#shared/domain/admission-decision.ts';
import { submitterText } from '#shared/domain/submitter.ts';
import { recordSubmitter } from './record-submitter.ts';
import { submitterIn, withSubmitter } from './submission.ts';
import { ann, daemonJob, flow, step, submitted, template, update, job } from './testing/reviews.ts';

const decide = (review: Review) => recordSubmitter.decide(review, { facts: undefined, nowMs: 0 });
const plain = flow([step('a')]);
const recorded = withSubmitter(plain, submitterText(ann));
const bob = { ...ann, username: 'bob' };
const another = flow([step('b')]);

describe('on creation', () => {
  it.each([plain, template(job()), daemonJob(job())])(
    'the submitter is written on a $kind',
    (object) => {
      expect(decide(submitted(object))).toEqual({
        allowed: true,
        object: withSubmitter(object, submitterText(ann)),
      });
    },
  );

  it('whatever a user wrote there is replaced, with a warning to the user', () => {
    const forged = withSubmitter(plain, '{"username":"system:admin"}');
    const decision = decide(submitted(forged));
    expect(decision).toMatchObject({
      allowed: true,
      object: recorded,
      warnings: [
        'metadata.annotations: millrace.dev/submitter names the submitter; Millrace replaces your value',
      ],
    });
  });

  it('asked again about what it wrote it changes nothing and says nothing', () => {
    expect(decide(submitted(recorded))).toEqual({ allowed: true });
  });

  it('other annotations stay', () => {
    const noted = { ...plain, metadata: { name: 'etl', annotations: { note: 'x' } } };
    const decision = decide(submitted(noted));
    expect(decision).toMatchObject({ object: { metadata: { annotations: { note: 'x' } } } });
  });
});

describe('on an update', () => {
  it.each([
    ['keeps the annotation', withSubmitter(another, submitterText(ann))],
    ['leaves it out', another],
    ['writes another text', withSubmitter(another, '{"username":"system:admin"}')],
  ])('the user who changes what is run becomes the submitter, and %s', (_, after) => {
    expect(decide({ ...update(recorded, after), user: bob })).toEqual({
      allowed: true,
      object: withSubmitter(another, submitterText(bob)),
    });
  });

  it('a user who changes nothing of what is run does not become the submitter', () => {
    const labelled = { ...recorded, metadata: { ...(recorded['metadata'] as object), labels: {} } };
    expect(decide({ ...update(recorded, labelled), user: bob })).toEqual({ allowed: true });
    const suspended = withSubmitter(flow([step('a')], { suspend: true }), submitterText(ann));
    expect(decide({ ...update(recorded, suspended), user: bob })).toEqual({ allowed: true });
  });

  it('an admission of Kueue, which says where it runs, does not become the submitter', () => {
    const placed = flow([step('a')], { suspend: false, podSetInfos: [{ name: 'a' }] });
    const admitted = withSubmitter(placed, submitterText(ann));
    expect(decide({ ...update(recorded, admitted), user: bob })).toEqual({ allowed: true });
    expect(decide({ ...update(admitted, recorded), user: bob })).toEqual({ allowed: true });
  });

  it('who leaves it out and changes nothing of what is run keeps it, as `kubectl replace` does', () => {
    expect(decide({ ...update(recorded, plain), user: bob })).toEqual({
      allowed: true,
      object: recorded,
    });
  });

  it.each([
    ['none', plain],
    ['one that names no user', withSubmitter(plain, 'ann')],
  ])('what was created past the webhooks and has %s gets who changes what it runs', (_, before) => {
    const changed = { ...update(before, withSubmitter(another, 'ann')), user: bob };
    expect(decide(changed)).toMatchObject({
      allowed: true,
      object: withSubmitter(another, submitterText(bob)),
    });
  });

  it('what was created past the webhooks stays without one when only spec.suspend changes', () => {
    const resumed = flow([step('a')], { suspend: true });
    expect(decide(update(plain, resumed))).toEqual({ allowed: true });
  });

  it('another text is left for the check to refuse', () => {
    const forged = withSubmitter(plain, '{"username":"bob"}');
    const decision = decide(update(recorded, forged));
    expect(decision).toEqual({ allowed: true });
    expect(submitterIn(forged)).toBe('{"username":"bob"}');
  });
});

describe('a dependency that is no step', () => {
  it('gets the name that is near, since the policy that refuses it cannot say it', () => {
    const misspelt = flow([step('build'), step('test', { dependencies: ['biuld', 'other'] })]);
    expect(decide(submitted(misspelt))).toMatchObject({
      warnings: ['step "test" depends on "biuld": did you mean "build"?'],
    });
  });

  it('nothing is taken for granted of what no schema has judged', () => {
    for (const spec of [1, { flows: 'x' }, { flows: [null, { dependencies: [1] }, { name: 2 }] }]) {
      const object = { ...plain, spec };
      expect(decide(submitted(object))).toMatchObject({ allowed: true });
    }
  });
});
