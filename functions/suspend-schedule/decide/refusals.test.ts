/** Suspensions that the API server has refused. */
import { describe, expect, it } from 'vitest';
import { at, closedAt, held, job, markIn, opensAt, policy, snapshot } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

const refusedBefore = policy(undefined, { status: { refused: ['Job/default/a'] } });

it('a refused suspension is reported as accepted once this policy has suspended the object', () => {
  expect(decided(snapshot(refusedBefore, [held('a')])).events).toEqual(['a SuspensionAccepted']);
});

it('no acceptance is reported for an object that a user has resumed meanwhile', () => {
  const resumed = job('a', { mark: markIn(closedAt) });
  expect(decided(snapshot(refusedBefore, [resumed])).events).toEqual([]);
});

it('no acceptance is reported for an object that another policy has suspended', () => {
  const others = held('a', { mark: markIn(closedAt, 'uid-of-another') });
  expect(decided(snapshot(refusedBefore, [others])).events).not.toContain('a SuspensionAccepted');
});

it('no acceptance is reported for an object that was never refused', () => {
  expect(decided(snapshot(refusedBefore, [held('b')])).events).toEqual([]);
});

describe('a resumption that the API server refuses', () => {
  const going = policy(undefined, { deletionTimestamp: at(0) });
  const a = held('a');
  const refused = {
    rejections: [{ uid: a.uid, name: 'a', code: 'Refused', message: 'no' }],
  } as const;

  it('keeps a deleted policy, which says so on itself and on the object', () => {
    expect(decided(snapshot(going, [a])).resumes).toEqual(['a']);
    const of = decided(snapshot(going, [a, held('b')], refused));
    expect(of.resumes).toEqual(['b']);
    expect(of.events).toEqual(['a ResumptionRefused']);
    expect(of.condition('Refused')).toBe('True/Refused');
    expect(of.status.conditions?.[0]?.message).toBe('a: no');
    expect(of.patches.map(({ target }) => target.name)).toEqual(['b']);
  });

  it('leaves a deleted policy Terminating with the refusal as its message, and with no transition', () => {
    const { status } = decided(snapshot(policy(), [a]));
    const deleted = policy(undefined, { deletionTimestamp: at(0), status });
    const of = decided(snapshot(deleted, [a], refused));
    const message = 'it is being deleted, and the API server refuses to change a: no';
    expect(of.status).toMatchObject({ state: 'Terminating', reason: 'Refused', message });
    expect(of.status).not.toHaveProperty('nextTransition');
    expect(of.status.conditions?.find(({ type }) => type === 'Held')).toMatchObject({ message });
  });

  it('of the last object is tried again once a minute, and the policy goes once it is accepted', () => {
    const first = decided(snapshot(going, [a], refused));
    expect(first.again).toBe(60);
    const deleted = policy(undefined, { deletionTimestamp: at(0), status: first.status });
    expect(decided(snapshot(deleted, [a], refused), 60).writesStatus).toBe(false);
    expect(decided(snapshot(deleted, [a]), 60).resumes).toEqual(['a']);
    const { patches } = decided(snapshot(deleted, [job('a')]), 61);
    expect(patches).toMatchObject([
      { target: { name: 'nights' }, patch: { metadata: { finalizers: [] } } },
    ]);
  });

  it('by an open policy is reported on the object as well', () => {
    const of = decided(snapshot(policy(), [a], refused), opensAt);
    expect(of.events).toContain('a ResumptionRefused');
    expect(of.condition('Refused')).toBe('True/Refused');
  });
});
