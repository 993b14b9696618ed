/** The status of a policy, as users and `kubectl wait` read it. */
import { describe, expect, it } from 'vitest';
import { mostNamed } from '#shared/api/suspend-policy-status.ts';
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import { asUid } from '#shared/domain/objects.ts';
import type { SelectedObject } from '../snapshot.ts';
import {
  at,
  closedAt,
  held,
  job,
  markIn,
  nights,
  opensAt,
  policy,
  rival,
  snapshot,
  submitted,
} from '../testing/builders.ts';
import { after, decided } from '../testing/decided.ts';

const twoAtOnce = { capacity: { maxJobs: 2 } };
const statusOf = (of: SuspendPolicy, ...objects: readonly SelectedObject[]) =>
  decided(snapshot(of, objects)).status;
const words = ({ conditions = [] }: ReturnType<typeof statusOf>, type: string) => {
  const found = conditions.find((each) => each.type === type);
  return found && `${found.status}/${found.reason}: ${found.message}`;
};

describe('why something is held', () => {
  it('is the reason of the status, with until when', () => {
    const status = statusOf(policy(), held('a'), held('b'));
    const message = `2 held until ${at(opensAt)}`;
    expect(status).toMatchObject({ reason: 'WindowClosed', message });
  });

  it('is that there is no room where the policy is open', () => {
    const status = statusOf(policy(twoAtOnce), job('a'), job('b'), job('c'));
    expect(status).toMatchObject({
      reason: 'CapacityFull',
      message: '1 held; there is no room for more',
    });
    expect(words(status, 'CapacityFull')).toBe('True/Waiting: 1 wait for room');
  });

  it('is not that there is no room while the window is closed', () => {
    const full = statusOf(policy(twoAtOnce), job('a'), job('b'), job('c'));
    const closed = policy({ ...twoAtOnce, schedule: nights }, { status: full });
    const { reason, next, conditions } = statusOf(closed, held('a'));
    expect([reason, next]).toEqual(['WindowClosed', undefined]);
    expect(words({ conditions: conditions! }, 'CapacityFull')).toBe(
      'False/Room: nothing waits for room',
    );
  });

  it('is what never fits where no place exists, in words about places', () => {
    const none = policy({ adopt: 'Both', capacity: { maxJobs: 0 } });
    const { status } = decided(snapshot(none, [submitted('a')]));
    expect(status.message).toContain('Job/default/a asks for a place, and maxJobs is 0');
  });

  it('is what never fits where nothing else waits, with what it asks for and what there is', () => {
    const four = policy({ adopt: 'Both', capacity: { resources: { cpu: '4', memory: '8Gi' } } });
    const big = submitted('big', { requests: { cpu: 6, memory: 2 ** 34 } });
    const { status, events } = decided(snapshot(four, [big]));
    const message =
      'Job/default/big asks for cpu 6, and the whole capacity has 4; for memory 16Gi, and the whole capacity has 8Gi: it never starts; raise spec.capacity or let it ask for less';
    expect(status).toMatchObject({ reason: 'Unschedulable', message: `1 held; ${message}` });
    expect(words(status, 'Unschedulable')).toBe(`True/NeverFits: ${message}`);
    expect(words(status, 'CapacityFull')).toBeUndefined();
    expect(events).toEqual(['big NeverFits']);
  });

  it('is both where something waits beside it', () => {
    const one = policy({ adopt: 'Both', capacity: { maxJobs: 1, resources: { cpu: '4' } } });
    const objects = [
      submitted('big', { requests: { cpu: 6 } }),
      submitted('next', { requests: { cpu: 1 } }),
      job('runs', { requests: { cpu: 1 } }),
    ];
    const status = statusOf(one, ...objects);
    expect(status.reason).toBe('CapacityFull');
    expect(status.message).toContain('2 held; there is no room for more; Job/default/big asks for');
    expect(words(status, 'CapacityFull')).toBe('True/Waiting: 1 wait for room');
  });

  it('is an annotation where that alone holds it', () => {
    const status = statusOf(policy(twoAtOnce), held('a', { override: 'Hold' }));
    expect(status).toMatchObject({ reason: 'Override', message: '1 held; an annotation says so' });
    expect(words(status, 'CapacityFull')).toBeUndefined();
  });

  it('says with dryRun that they would be held', () => {
    const dry = { dryRun: true } as const;
    expect(statusOf(policy({ schedule: nights, ...dry }), job('a')).message).toBe(
      `dry run: 1 would be held until ${at(opensAt)}`,
    );
    expect(statusOf(policy({ ...twoAtOnce, ...dry }), job('a'), job('b'), job('c')).message).toBe(
      'dry run: 1 would be held; there is no room for more',
    );
  });

  it('is not said where nothing is', () => {
    const { status } = decided(snapshot(policy(), [held('a')]), opensAt);
    expect(status).not.toHaveProperty('reason');
    expect(status).not.toHaveProperty('message');
    expect(words(status, 'Held')).toBe('False/NothingHeld: nothing is held');
  });
});

describe('how many', () => {
  it('still come to an end counts suspended objects that have Pods', () => {
    const ending = held('ending', { isActive: true });
    const status = statusOf(policy(), ending, held('quiet'), job('suspended-now'));
    expect(status).toMatchObject({ held: 3, terminating: 1 });
  });

  it('run counts what runs although it is left alone, and not what stands still so', () => {
    const resumed = job('resumed', { mark: markIn(closedAt) });
    const stopped = job('stopped', { suspend: true });
    const status = statusOf(policy(), resumed, stopped, job('forced', { override: 'Run' }));
    expect(status).toMatchObject({ selected: 3, running: 2, held: 0 });
  });

  it('are set otherwise counts those by hand and those by annotation', () => {
    const resumed = job('resumed', { mark: markIn(closedAt) });
    const status = statusOf(policy(), resumed, job('forced', { override: 'Run' }), held('a'));
    expect(status.overridden).toBe(2);
    expect(words(status, 'ManualOverride')).toBe(
      'True/SetOtherwise: 2 set otherwise by hand or by annotation',
    );
    const later = policy(undefined, { status });
    expect(words(statusOf(later, held('a')), 'ManualOverride')).toBe(
      'False/Followed: nothing is set otherwise',
    );
  });
});

describe('names', () => {
  it('of objects to suspend or resume are in the status of a dry run only', () => {
    const dry = decided(snapshot(policy({ schedule: nights, dryRun: true }), [job('a')])).status;
    expect(dry).toMatchObject({ wouldHold: ['Job/default/a'] });
    expect(dry).not.toHaveProperty('wouldResume');
    for (const nowS of [0, opensAt]) {
      const { status } = decided(snapshot(policy(), [job('a'), held('b')]), nowS);
      expect(status).not.toHaveProperty('wouldHold');
      expect(status).not.toHaveProperty('wouldResume');
    }
  });

  it('are as many as the field allows at most', () => {
    const many = Array.from({ length: mostNamed + 1 }, (_, at) => job(`j${at}`));
    expect(statusOf(policy({ schedule: nights, dryRun: true }), ...many).wouldHold).toHaveLength(
      mostNamed,
    );
  });
});

describe('other policies', () => {
  const open = (name: string) => rival(name, { precedence: -1 });

  it('that want otherwise are named in a condition', () => {
    const rivals = [open('days'), open('ends')];
    const { status } = decided(snapshot(policy(), [job('a', { rivals: [0, 1] })], { rivals }));
    expect(words(status, 'Conflicting')).toBe(
      'True/OtherPolicies: other policies decide otherwise: SuspendPolicy/default/days, SuspendPolicy/default/ends',
    );
    expect(words(statusOf(policy(undefined, { status }), job('a')), 'Conflicting')).toBe(
      'False/Agreed: no other policy decides otherwise',
    );
  });

  it('that decide in spite of a capacity are named, since it does not count for what they decide', () => {
    const rivals = [rival('freeze', { precedence: 10 })];
    const { status } = decided(
      snapshot(policy({ capacity: { maxJobs: 1 } }), [job('a', { rivals: [0] })], { rivals }),
    );
    expect(status.conflicts).toEqual([
      {
        policy: 'SuspendPolicy/default/freeze',
        decides: 'SuspendPolicy/default/freeze',
        objects: 1,
      },
    ]);
    expect(words(status, 'Conflicting')).toContain('do not count in this capacity');
  });

  it('are listed up to the limit of the field', () => {
    const rivals = Array.from({ length: 33 }, (_, at) => open(`other-${at}`));
    const objects = [job('a', { rivals: rivals.keys().toArray() })];
    expect(decided(snapshot(policy(), objects, { rivals })).status.conflicts).toHaveLength(32);
  });
});

it('a refusal is reported with its object in the words of the API server, until that is written', () => {
  const rejections = [
    { name: 'a', uid: asUid('uid-of-a'), code: 'Forbidden', message: 'not by you' } as const,
  ];
  const first = snapshot(policy(), [job('a')], { rejections });
  const refused = decided(first);
  expect(words(refused.status, 'Refused')).toBe('True/Forbidden: a: not by you');
  const again = { ...after(first, refused), rejections: [] };
  expect(words(decided(again, 60).status, 'Refused')).toBe('True/Forbidden: a: not by you');
  const written = { ...after(again, decided(again, 60)), objects: [held('a')] };
  expect(words(decided(written, 61).status, 'Refused')).toBe('False/Written: nothing was refused');
});

describe('when it is written', () => {
  const seen = snapshot(policy(), [held('a')]);
  const looked = after(seen, decided(seen));
  const more = { ...looked, objects: [held('a'), held('b')] };

  it('is once a second where only counts have changed', () => {
    const soon = decided(more, 0.5);
    expect([soon.writesStatus, soon.again]).toEqual([false, 1]);
    const due = decided(more, 1);
    expect([due.writesStatus, due.status.held]).toEqual([true, 2]);
    expect(decided(more, 60).writesStatus).toBe(true);
  });

  it('is once a second where more is left alone', () => {
    const owned = { ...looked, objects: [held('a'), job('b', { untouchable: 'Owned' })] };
    expect(decided(owned, 0.5).writesStatus).toBe(false);
    expect(decided(owned, 1).writesStatus).toBe(true);
  });

  it('is at once where a condition is another one, or anything else than a count', () => {
    const freed = { ...looked, objects: [] };
    expect(decided(freed, 0.5).writesStatus).toBe(true);
    const forced = (...names: readonly string[]) =>
      names.map((name) => job(name, { override: 'Run' }));
    const one = { ...looked, objects: [held('a'), ...forced('b')] };
    expect(decided(one, 0.5).writesStatus).toBe(true);
    const two = { ...after(one, decided(one, 0.5)), objects: [held('a'), ...forced('b', 'c')] };
    expect(decided(two, 1).writesStatus).toBe(true);
  });

  it('is at once where the API server refuses for another reason', () => {
    const refused = (code: 'Forbidden' | 'Invalid') => ({
      objects: [job('a')],
      rejections: [{ name: 'a', uid: asUid('uid-of-a'), code, message: 'no' }],
    });
    const first = { ...looked, ...refused('Forbidden') };
    const refusedOnce = after(first, decided(first, 2));
    expect(decided(refusedOnce, 2.5).writesStatus).toBe(false);
    expect(decided({ ...refusedOnce, ...refused('Invalid') }, 2.5).writesStatus).toBe(true);
  });
});

it('what it selects and does not stop is named with the reason', () => {
  const flow = held('f', { kind: 'JobFlow', isActive: true, suspendsStartsOnly: true });
  const status = statusOf(
    policy(),
    job('a', { untouchable: 'Owned' }),
    job('b', { untouchable: 'Kueue' }),
    flow,
  );
  expect(status).toMatchObject({
    leftAlone: [
      'Job/default/a (Owned)',
      'Job/default/b (Kueue)',
      'JobFlow/default/f (SchedulingOnly)',
    ],
    ...{ selected: 1, running: 1, held: 0, untouched: 2 },
  });
  const settled = statusOf(policy(), { ...flow, isActive: false });
  expect(settled).toMatchObject({ held: 1, running: 0 });
  expect(settled.leftAlone).toBeUndefined();
});
