/** The Events, word for word: they are all that users learn on the object itself. */
import { describe, expect, it } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import type { EmitEventOperation } from '#shared/domain/plan.ts';
import type { SuspendSnapshot } from '../snapshot.ts';
import {
  at,
  closedAt,
  closesAt,
  held,
  hours,
  job,
  markIn,
  nights,
  opensAt,
  policy,
  snapshot,
  t0,
} from '../testing/builders.ts';
import { after, decided } from '../testing/decided.ts';

const key = 'SuspendPolicy/default/nights';
const period = (since: number) => String(t0 / 1_000 + since);

function eventsIn(of: SuspendSnapshot, nowS = 0): readonly EmitEventOperation[] {
  const operations = decided(of, nowS).decision.plan.flat();
  return operations.filter((each) => each.kind === 'emitEvent');
}
const eventsOf = (...args: Parameters<typeof eventsIn>) =>
  eventsIn(...args).map(({ type, reason, note }) => `${type} ${reason} ${note}`);
const refused = (code: 'Forbidden' | 'Invalid') => ({
  rejections: [{ name: 'a', uid: asUid('uid-of-a'), code, message: 'not by you' }],
});

describe('of a suspension', () => {
  const room = { capacity: { maxJobs: 1, resources: { cpu: '4' } } };

  it.each<[string, SuspendSnapshot, string]>([
    ['a window', snapshot(policy(), [job('a')]), `is closed until ${at(opensAt)}`],
    ['a capacity', snapshot(policy(room), [job('a'), job('b')]), 'has no room for it'],
    [
      'a capacity that is too small',
      snapshot(policy(room), [job('a', { requests: { cpu: 5 } })]),
      'never has so much room: Job/default/a asks for cpu 5, and the whole capacity has 4',
    ],
    [
      'an annotation',
      snapshot(policy(), [job('a', { override: 'Hold' })]),
      'is overridden by an annotation',
    ],
    [
      'an annotation for a time',
      snapshot(policy(), [job('a', { override: `Hold;until=${at(hours)}` })]),
      `is overridden by an annotation until ${at(hours)}`,
    ],
  ])('by %s', (_, of, why) => {
    expect(eventsOf(of)).toEqual([`Normal HeldByPolicy suspending: ${key} ${why}`]);
  });

  it('while what runs may finish, for ever or for a time', () => {
    const queue = { ...job('main', { hasRun: false }), kind: 'LocalQueue' as const };
    const finishing = (onClose: object) =>
      eventsOf(
        snapshot(policy({ kinds: ['LocalQueue'], schedule: { ...nights, onClose } }), [queue]),
      );
    const closed = `Normal HeldByPolicy suspending: ${key} is closed until ${at(opensAt)}`;
    expect(finishing({ action: 'LetFinish' })).toEqual([`${closed}; running work continues`]);
    expect(finishing({ action: 'SuspendAfter', afterSeconds: 10 * hours })).toEqual([
      `${closed}; running work continues until ${at(closedAt + 10 * hours)}`,
    ]);
  });

  it('that is to come', () => {
    const onClose = { action: 'SuspendAfter', afterSeconds: 900, warnSeconds: 300 } as const;
    const of = snapshot(policy({ schedule: { ...nights, onClose } }), [job('a')]);
    expect(eventsOf(of, closedAt + 600)).toEqual([
      `Warning SuspendsSoon ${key} is closed; this is suspended at ${at(closedAt + 900)}`,
    ]);
    expect(eventsIn(of, closedAt + 600)).toMatchObject([
      { action: 'Suspend', occurrence: `${key}-${period(closedAt)}` },
    ]);
  });

  it('that the API server has refused, and that it takes in the end', () => {
    const first = snapshot(policy(), [job('a')], refused('Forbidden'));
    expect(eventsOf(first)).toEqual([
      `Warning SuspensionRefused not suspended yet, ${key} tries again: the API server refused it: not by you`,
    ]);
    const written = { ...after(first, decided(first)), rejections: [], objects: [held('a')] };
    expect(eventsOf(written, 61)).toEqual([
      `Normal SuspensionAccepted suspended: the API server accepts now what it refused before; ${key} holds it`,
    ]);
  });

  it('is one of its own for each generation and period, and as long as it is refused the same', () => {
    const occurrences = (of: SuspendSnapshot) => eventsIn(of).map(({ occurrence }) => occurrence);
    const expected = `${key}-${period(closedAt)}-3`;
    const third = job('a', { generation: 3 });
    expect(occurrences(snapshot(policy(), [third]))).toEqual([expected]);
    expect(occurrences(snapshot(policy(), [third], refused('Forbidden')))).toEqual([expected]);
  });
});

describe('of a run of a CronJob', () => {
  const cronJob = { name: 'hourly', uid: asUid('uid-of-hourly') };
  const run = job('hourly-1', { cronJob, generation: 2 });

  it('one on the CronJob says that the run is suspended', () => {
    expect(eventsIn(snapshot(policy(), [run]))[1]).toMatchObject({
      ...{ type: 'Normal', reason: 'HeldByPolicy', action: 'Suspend' },
      regarding: { kind: 'CronJob', apiVersion: 'batch/v1', namespace: 'default', ...cronJob },
      note: `suspending its Job hourly-1: ${key} holds it; with concurrencyPolicy Forbid no other run starts until it has ended`,
      occurrence: `${key}-${period(closedAt)}-hourly-1-2`,
    });
  });

  it('the CronJob gets no other one', () => {
    const onClose = { action: 'SuspendAfter', afterSeconds: 900, warnSeconds: 300 } as const;
    const warned = snapshot(policy({ schedule: { ...nights, onClose } }), [run]);
    expect(decided(warned, closedAt + 600).events).toEqual(['hourly-1 SuspendsSoon']);
    const freed = job('hourly-1', { cronJob, mark: markIn(closedAt), held: '{}' });
    expect(decided(snapshot(policy(), [freed])).events).toEqual(['hourly-1 ManualOverride']);
  });
});

describe('of what admission held on its creation', () => {
  const note = { policy: key, reason: 'WindowClosed', since: at(-60), isUntold: true };
  const cronJob = { name: 'hourly', uid: asUid('uid-of-hourly') };
  const seen = snapshot(policy(), [held('run', { held: JSON.stringify(note), cronJob })]);

  it('object and CronJob have an Event, and the note says from then on that they have it', () => {
    const until = at(opensAt);
    expect(eventsOf(seen)).toEqual([
      `Normal HeldByPolicy created suspended: ${key} is closed until ${until}`,
      `Normal HeldByPolicy its Job run was created suspended: ${key} holds it; with concurrencyPolicy Forbid no other run starts until it has ended`,
    ]);
    expect(decided(seen).note('run')).toEqual({
      policy: key,
      reason: 'WindowClosed',
      since: at(-60),
      until,
    });
  });

  it('keeps when the last one was let in before it', () => {
    const letIn = { ...note, letIn: at(-1) };
    const burst = snapshot(policy(), [held('run', { held: JSON.stringify(letIn) })]);
    expect(decided(burst).note('run')).toMatchObject({ letIn: at(-1) });
  });
});

describe('of an override that has no effect', () => {
  const usage = 'write Run, Hold, or for example Run;until=2030-01-31T18:00:00Z';

  it.each([
    ['yes', `"yes" is neither Run nor Hold; ${usage}`],
    ['Run;until=18:00', `"18:00" is no time with its offset from UTC; ${usage}`],
  ])('%s: the object has a Warning once, and the status names it', (override, why) => {
    const first = snapshot(policy(), [held('a', { override })]);
    expect(eventsOf(first)).toEqual([
      `Warning OverrideIgnored millrace.dev/suspend-override has no effect: ${why}`,
    ]);
    const { status } = decided(first);
    expect(status.unreadable).toEqual(['Job/default/a']);
    expect(eventsOf(snapshot(policy(undefined, { status }), [held('a', { override })]))).toEqual(
      [],
    );
  });

  it('also names a priority that is no number, which counts as 0', () => {
    const priorityFault = 'the label prio counts as priority 0: "abc" is no whole number';
    const first = snapshot(policy(), [held('a', { priorityFault })]);
    expect(eventsOf(first)).toEqual([`Warning PriorityIgnored ${priorityFault}`]);
    const { status } = decided(first);
    expect(status.unreadable).toEqual(['Job/default/a']);
    expect(
      eventsOf(snapshot(policy(undefined, { status }), [held('a', { priorityFault })])),
    ).toEqual([]);
  });

  it('is written where the policy forbids it, and what was resumed by hand is suspended again', () => {
    const strict = policy({ schedule: nights, overrides: 'Forbid' });
    const first = snapshot(strict, [held('a', { override: 'Run' })]);
    expect(decided(first).resumes).toEqual([]);
    expect(eventsOf(first)).toEqual([
      `Warning OverrideIgnored millrace.dev/suspend-override has no effect: ${key} forbids overrides`,
    ]);
    const resumed = job('b', { mark: markIn(closedAt) });
    expect(decided(snapshot(strict, [resumed])).suspends).toEqual(['b']);
  });
});

it('a note that is written anew causes none', () => {
  const until = [{ name: 'night', open: '0 18 * * *', close: '0 6 * * *' }];
  const edited = snapshot(policy({ schedule: { ...nights, windows: until } }), [held('a')]);
  expect(decided(edited)).toMatchObject({ annotates: ['a'], events: [] });
});

describe('of what a person did', () => {
  const marked = { mark: markIn(closedAt), held: '{}' };

  it.each([
    ['resumed it', job('a', marked)],
    ['suspended it', held('a', { ...marked, isSetOtherwise: true })],
  ])('that a user %s', (what, object) => {
    expect(eventsOf(snapshot(policy(), [object]))).toEqual([
      `Normal ManualOverride a user or another controller ${what}: ${key} leaves it alone until ${at(opensAt)}`,
    ]);
    expect(eventsIn(snapshot(policy(), [object]))).toMatchObject([
      { action: 'Suspend', occurrence: `${key}-${period(closedAt)}` },
    ]);
  });
});

it('of a placement that is refused', () => {
  const placement = { nodeSelector: { pool: 'spot' } };
  const placing = policy({ schedule: nights, onResume: { placement } });
  const of = snapshot(placing, [held('a', { pod: {} })], refused('Invalid'));
  expect(eventsIn(of, opensAt)).toMatchObject([
    {
      type: 'Warning',
      note: `resumed with its own placement: the API server no longer accepts the placement of ${key}`,
      occurrence: key,
    },
  ]);
});

describe('of a transition', () => {
  const first = snapshot(policy());
  const looked = after(first, decided(first));

  it('is on the policy, with the end of the period', () => {
    const [opened, ...more] = eventsIn(looked, opensAt);
    expect(more).toEqual([]);
    expect(opened).toMatchObject({
      ...{ type: 'Normal', reason: 'WindowOpened', action: 'Open' },
      note: `${key} is open until ${at(closesAt)}`,
      occurrence: period(opensAt),
      regarding: {
        ...{ namespace: 'default', name: 'nights', uid: 'policy-uid' },
        ...{ kind: 'SuspendPolicy', apiVersion: 'millrace.dev/v1alpha1' },
      },
    });
    const open = after(looked, decided(looked, opensAt));
    expect(eventsIn(open, closesAt)).toMatchObject([
      {
        ...{ type: 'Normal', reason: 'WindowClosed', action: 'Close' },
        note: `${key} is closed until ${at(opensAt + 24 * hours)}`,
      },
    ]);
  });

  it('is none on the first decision, and none within a period', () => {
    expect(eventsIn(first)).toEqual([]);
    expect(eventsIn(looked, 60)).toEqual([]);
  });
});

describe('of a policy itself', () => {
  it('a misspelt annotation, once', () => {
    const { metadata, ...rest } = policy();
    const misspelt = {
      ...rest,
      metadata: { ...metadata, annotations: { 'millrace.dev/rety': '1' } },
    };
    const first = snapshot(misspelt, []);
    expect(eventsOf(first)).toEqual([
      'Warning UnknownAnnotation metadata.annotations[millrace.dev/rety]: Millrace knows no such annotation; remove it',
    ]);
    expect(eventsOf(after(first, decided(first)))).toEqual([]);
  });
});
