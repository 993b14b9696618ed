import { describe, expect, it } from 'vitest';
import { annotations } from '#shared/domain/labels.ts';
import { omit } from '#shared/domain/omit.ts';
import { asUid } from '#shared/domain/objects.ts';
import { finalizer } from './decide/finalizer.ts';
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
  rival,
  snapshot,
  submitted,
  uid,
} from './testing/builders.ts';
import { after, decided } from './testing/decided.ts';

const grace = { action: 'SuspendAfter', afterSeconds: 900, warnSeconds: 300 } as const;

describe('a window', () => {
  it('suspends what runs when it has closed, the lowest priority and the youngest first', () => {
    const objects = [
      job('high', { priority: 5 }),
      job('low'),
      job('young', { createdAt: at(-20 * hours) }),
    ];
    const { suspends, patches, note, mark, events, status, again } = decided(
      snapshot(policy(), objects),
    );
    expect(suspends).toEqual(['young', 'low', 'high']);
    // If the policy were gone, nothing would resume these objects. So it is read again before each write.
    expect(patches.map(({ isFinal }) => isFinal)).toEqual([true, true, true]);
    expect(note('low')).toEqual({
      policy: 'SuspendPolicy/default/nights',
      reason: 'WindowClosed',
      since: at(0),
      until: at(opensAt),
    });
    expect(mark('low')).toBe(markIn(closedAt));
    expect(events).toEqual(['young HeldByPolicy', 'low HeldByPolicy', 'high HeldByPolicy']);
    expect(status).toMatchObject({
      state: 'Closed',
      lastTransition: at(closedAt),
      nextTransition: at(opensAt),
      selected: 3,
      held: 3,
      running: 0,
    });
    expect(again).toBe(opensAt);
  });

  it('suspends a Job whatever has been written on it since it was seen: it would run on otherwise', () => {
    const { patches } = decided(snapshot(policy(), [job('a')]));
    expect(patches.map(({ resourceVersion }) => resourceVersion)).toEqual([undefined]);
  });

  it('reports a suspension before it happens, since a suspended object is not decided about again', () => {
    const { decision } = decided(snapshot(policy(), [job('a')]));
    const kinds = decision.plan.map((stage) => stage.map(({ kind }) => kind));
    expect(kinds).toEqual([['emitEvent'], ['patch'], ['patchStatus']]);
  });

  it('resumes what it holds when it has opened, as it was seen and with no mark left', () => {
    const { resumes, patches, status } = decided(snapshot(policy(), [held('a')]), opensAt);
    expect(resumes).toEqual(['a']);
    expect(patches[0]).toMatchObject({
      resourceVersion: '7',
      patch: {
        metadata: {
          annotations: { 'millrace.dev/suspended-by': null, 'millrace.dev/held': null },
        },
        spec: { suspend: false },
      },
    });
    expect(status).toMatchObject({ state: 'Open', windows: ['night'], running: 1, held: 0 });
  });

  it('holds what comes while it is closed', () => {
    const late = job('late', { createdAt: at(0), hasRun: false });
    expect(decided(snapshot(policy(), [late]), 5).suspends).toEqual(['late']);
  });

  it('leads to the right state long after the transition, and to nothing else (scenario 54)', () => {
    const objects = [held('a', { mark: markIn(closedAt - 24 * hours) }), job('b')];
    const late = decided(snapshot(policy(), objects), opensAt + 48 * hours);
    expect(late.resumes).toEqual(['a']);
    expect(late.suspends).toEqual([]);
  });

  it('writes nothing when everything is as it should be', () => {
    const first = snapshot(policy(), [held('a')]);
    const looked = after(first, decided(first));
    const second = decided(looked, 60);
    expect(second.decision.plan).toEqual([]);
    expect(second.again).toBe(opensAt);
  });

  it('reports a new end of the hold', () => {
    const until = [{ name: 'night', open: '0 18 * * *', close: '0 6 * * *' }];
    const edited = policy({ schedule: { ...nights, windows: until } });
    const { annotates, note } = decided(snapshot(edited, [held('a')]));
    expect(annotates).toEqual(['a']);
    expect(note('a')).toMatchObject({ since: at(closedAt), until: at(opensAt - 2 * hours) });
  });

  it('writes 128 objects in one decision, and goes on at once', () => {
    const objects = Array.from({ length: 300 }, (_, index) => job(`job-${index}`));
    const { suspends, again, status } = decided(snapshot(policy(), objects));
    expect(suspends).toHaveLength(128);
    expect(again).toBe(0);
    expect(status.held).toBe(300);
  });
});

describe('the closing', () => {
  const closed = (onClose: object) => policy({ schedule: { ...nights, onClose } });

  it('lets what runs finish, and holds what comes afterwards (LetFinish)', () => {
    const objects = [job('old'), job('new', { createdAt: at(closedAt + 1) })];
    const { suspends, status } = decided(snapshot(closed({ action: 'LetFinish' }), objects));
    expect(suspends).toEqual(['new']);
    expect(status).toMatchObject({ running: 1, held: 1 });
  });

  it('gives no grace where nothing ever closed, since nothing was running then', () => {
    const always = {
      timeZone: 'UTC',
      windows: [
        { name: 'am', open: '0 0 * * *', close: '0 13 * * *' },
        { name: 'pm', open: '0 12 * * *', close: '0 1 * * *' },
      ],
    };
    for (const onClose of [{ action: 'LetFinish' }, grace] as const) {
      const schedule = { ...always, mode: 'SuspendInside', onClose } as const;
      expect(decided(snapshot(policy({ schedule }), [job('a')])).suspends).toEqual(['a']);
    }
  });

  it('gives a grace, warns before its end, and suspends then (SuspendAfter, scenario 57)', () => {
    const of = snapshot(closed(grace), [job('a')]);
    const before = decided(of, closedAt + 1);
    expect(before.suspends).toEqual([]);
    expect(before.again).toBe(closedAt + 600);
    const warned = decided(of, closedAt + 600);
    expect(warned.annotates).toEqual(['a']);
    expect(warned.note('a')).toMatchObject({ suspends: at(closedAt + 900) });
    expect(warned.events).toEqual(['a SuspendsSoon']);
    expect(warned.again).toBe(closedAt + 900);
    expect(decided(of, closedAt + 900).suspends).toEqual(['a']);
  });

  it('warns once', () => {
    const note = JSON.stringify({
      policy: 'SuspendPolicy/default/nights',
      suspends: at(closedAt + 900),
    });
    const of = snapshot(closed(grace), [job('a', { held: note })]);
    expect(decided(of, closedAt + 601).patches).toEqual([]);
  });
});

describe('a person', () => {
  it('who resumes what is held is left alone until the next transition (scenario 60)', () => {
    const resumed = job('a', { mark: markIn(closedAt) });
    const now = decided(snapshot(policy(), [resumed]));
    expect(now.patches).toEqual([]);
    expect(now.condition('ManualOverride')).toBe('True/SetOtherwise');
    expect(now.status.overridden).toBe(1);
    expect(decided(snapshot(policy(), [resumed]), opensAt).annotates).toEqual(['a']);
    expect(decided(snapshot(policy(), [resumed]), closesAt).suspends).toEqual(['a']);
  });

  it('who resumes what is held is left alone for weeks, however often windows open and close within', () => {
    const holiday = {
      timeZone: 'UTC',
      mode: 'SuspendInside' as const,
      windows: [
        { name: 'holiday', open: '0 0 1 1 *', close: '0 0 1 4 *' },
        { name: 'quarters', open: '0,30 * * * *', close: '15,45 * * * *' },
      ],
    };
    const newYear = -(4 * 24 + 8) * hours;
    const resumed = job('a', { mark: markIn(newYear) });
    for (const days of [0, 3, 30, 80]) {
      const { patches } = decided(
        snapshot(policy({ schedule: holiday }), [resumed]),
        days * 24 * hours,
      );
      expect(patches).toEqual([]);
    }
  });

  it('who resumes a held object gets one Event that it is left alone, and it is held no more', () => {
    const resumed = job('a', { mark: markIn(closedAt), held: '{}' });
    const now = decided(snapshot(policy(), [resumed]));
    expect(now.annotates).toEqual(['a']);
    expect(now.note('a')).toBeNull();
    expect(now.mark('a')).toBe(`${markIn(closedAt)}/nothing`);
    expect(now.patches[0]).toHaveProperty('resourceVersion', '7');
    expect(now.events).toContain('a ManualOverride');
  });

  it('who resumes a held object and suspends it again later is the only one to resume it', () => {
    const theirs = job('a', {
      ...{ suspend: true, isActive: false, isSetOtherwise: true },
      mark: `${markIn(closedAt)}/nothing`,
    });
    const unselected = { ...theirs, isSelected: false } as const;
    for (const object of [theirs, unselected]) {
      expect(decided(snapshot(policy(), [object])).patches).toEqual([]);
      expect(decided(snapshot(policy(), [object]), opensAt).patches).toEqual([]);
    }
    const withRoom = policy({ capacity: { maxJobs: 1 } });
    expect(decided(snapshot(withRoom, [{ ...theirs, mark: `${uid}/0/nothing` }])).patches).toEqual(
      [],
    );
  });

  it('who suspended a Job is the only one to resume it (scenario 60)', () => {
    const own = job('a', { suspend: true });
    for (const adopt of ['Running', 'Suspended', 'Both'] as const) {
      const of = snapshot(policy({ schedule: nights, adopt }), [own]);
      expect(decided(of).patches).toEqual([]);
      expect(decided(of, opensAt).patches).toEqual([]);
    }
  });

  it('who submits a Job suspended has it started where the policy takes such Jobs', () => {
    const waiting = snapshot(policy({ schedule: nights, adopt: 'Suspended' }), [submitted('a')]);
    expect(decided(waiting).annotates).toEqual(['a']);
    expect(decided(waiting, opensAt).resumes).toEqual(['a']);
    expect(decided(snapshot(policy(), [submitted('a')]), opensAt).resumes).toEqual([]);
  });

  it('who lets a Job run by itself keeps it running where only suspended ones are taken', () => {
    const of = (object = job('a')) =>
      snapshot(policy({ schedule: nights, adopt: 'Suspended' }), [object]);
    expect(decided(of()).suspends).toEqual([]);
    expect(decided(of(job('a', { resumedBy: uid }))).suspends).toEqual(['a']);
  });

  it('who writes an override has it his way until it ends (scenario 61)', () => {
    const until = `Run;until=${at(3 * hours)}`;
    const objects = [
      job('runs', { override: until }),
      held('resumes', { override: 'Run' }),
      job('holds', { override: 'Hold' }),
      job('unreadable', { override: 'Maybe' }),
    ];
    const { suspends, resumes, again } = decided(snapshot(policy(), objects));
    expect(suspends).toEqual(['unreadable', 'holds']);
    expect(resumes).toEqual(['resumes']);
    expect(again).toBe(3 * hours);
    expect(decided(snapshot(policy(), objects), 3 * hours).suspends).toContain('runs');
    const open = decided(snapshot(policy(), objects), opensAt);
    expect(open.suspends).toEqual(['holds']);
    expect(open.note('holds')).toMatchObject({ reason: 'Override' });
    expect(open.note('holds')).not.toHaveProperty('until');
  });

  it('who holds an object until a time finds that time in its note', () => {
    const override = `Hold;until=${at(hours)}`;
    const first = decided(snapshot(policy(), [job('a', { override })]));
    expect(first.note('a')).toMatchObject({ reason: 'Override', until: at(hours) });
    const noted = held('a', { override, held: JSON.stringify(first.note('a')) });
    expect(decided(snapshot(policy(), [noted])).patches).toEqual([]);
    expect(decided(snapshot(policy(), [noted]), hours).note('a')).toMatchObject({
      ...{ reason: 'WindowClosed', until: at(opensAt) },
    });
  });
});

it.each(['Kueue', 'ManagedBy', 'Owned'] as const)('leaves alone what is %s', (untouchable) => {
  const objects = [job('a', { untouchable }), held('b', { untouchable })];
  const { patches, status } = decided(snapshot(policy(), objects));
  expect(patches).toEqual([]);
  expect(status).toMatchObject({ selected: 0, untouched: 2 });
});

describe('an object that a policy holds and no longer selects (suspend-6)', () => {
  const left = { isSelected: false } as const;

  it('is resumed, and counts for nothing', () => {
    const { resumes, status } = decided(snapshot(policy(), [held('a', left)]));
    expect(resumes).toEqual(['a']);
    expect(status).toMatchObject({ selected: 0, held: 0 });
  });

  it('is left to another policy that selects it, and to a user who holds it', () => {
    const rivals = [rival('other')];
    const objects = [held('a', { ...left, rivals: [0] }), held('b', { ...left, override: 'Hold' })];
    expect(decided(snapshot(policy(), objects, { rivals })).patches).toEqual([]);
  });

  it('is resumed when the override that still holds it ends', () => {
    const object = held('a', { ...left, override: `Hold;until=${at(hours)}` });
    const now = decided(snapshot(policy(), [object]));
    expect(now.patches).toEqual([]);
    expect(now.again).toBe(hours);
    expect(decided(snapshot(policy(), [object]), hours).resumes).toEqual(['a']);
  });
});

describe('of two policies', () => {
  const days = { ...nights, mode: 'SuspendInside' as const };

  it('the one with the higher precedence decides', () => {
    const objects = [job('a', { rivals: [0] })];
    const of = (precedence: number) =>
      snapshot(policy({ schedule: nights, precedence: 1 }), objects, {
        rivals: [rival('days', { precedence, schedule: days })],
      });
    expect(decided(of(0)).suspends).toEqual(['a']);
    const other = decided(of(2));
    expect(other.patches).toEqual([]);
    expect(other.condition('Conflicting')).toBe('True/OtherPolicies');
    expect(other.status.conflicts).toEqual([
      { policy: 'SuspendPolicy/default/days', decides: 'SuspendPolicy/default/days', objects: 1 },
    ]);
  });

  it('the one that is closed wins among equals (scenario 62)', () => {
    const rivals = [rival('a-days', { schedule: days })];
    const of = (object = job('a')) => snapshot(policy(), [{ ...object, rivals: [0] }], { rivals });
    expect(decided(of()).suspends).toEqual(['a']);
    expect(decided(of(held('a')), opensAt).patches).toEqual([]);
  });

  it('each looks again when another one that selects the same opens or closes, for then it may decide', () => {
    const always = policy({ capacity: { maxJobs: 1 } });
    const rivals = [rival('a-nights', { schedule: nights })];
    const of = snapshot(always, [held('a', { rivals: [0] })], { rivals });
    const closed = decided(of);
    expect(closed.patches).toEqual([]);
    expect(closed.again).toBe(opensAt);
    expect(decided(of, opensAt).resumes).toEqual(['a']);
  });

  it('the one that decides takes over what another one has marked', () => {
    const marked = held('a', { mark: markIn(closedAt, 'uid-of-other'), rivals: [0] });
    const rivals = [rival('other', { precedence: -1 })];
    const of = snapshot(policy(), [marked], { rivals });
    expect(decided(of).annotates).toEqual(['a']);
    expect(decided(of).mark('a')).toBe(markIn(closedAt));
    expect(decided(of, opensAt).resumes).toEqual(['a']);
  });
});

describe('a policy', () => {
  it('puts its finalizer on itself before anything else', () => {
    const { decision, suspends } = decided(
      snapshot(policy(undefined, { finalizers: ['x'] }), [job('a')]),
    );
    expect(suspends).toEqual([]);
    expect(decision.plan).toEqual([
      [
        expect.objectContaining({
          resourceVersion: '100',
          patch: { metadata: { finalizers: ['x', finalizer] } },
        }),
      ],
    ]);
    expect(decision.requeueAtMs).toBeDefined();
  });

  it('that is deleted resumes what it has marked and nothing else, and goes then (scenario 63)', () => {
    const deleted = policy(undefined, { deletionTimestamp: at(0) });
    const objects = [
      held('a'),
      held('other', { mark: markIn(closedAt, 'uid-of-other') }),
      job('b'),
    ];
    const first = decided(snapshot(deleted, objects));
    expect(first.resumes).toEqual(['a']);
    expect(first.patches).toHaveLength(1);
    const last = decided(snapshot(deleted, [job('a'), job('b')]));
    expect(last.patches.map(({ patch }) => patch)).toEqual([{ metadata: { finalizers: [] } }]);
  });

  it('that is deleted removes its mark from what a user has changed, and changes nothing else', () => {
    const resumed = held('resumed', { suspend: false });
    const otherwise = held('otherwise', { isSetOtherwise: true });
    for (const onDelete of ['Restore', 'Leave'] as const) {
      const deleted = policy({ schedule: nights, onDelete }, { deletionTimestamp: at(0) });
      const { patches, resumes } = decided(snapshot(deleted, [resumed, otherwise, job('b')]));
      expect(resumes).toEqual([]);
      expect(patches.map(({ target, patch }) => [target.name, patch])).toEqual(
        ['resumed', 'otherwise'].map((name) => [
          name,
          {
            metadata: {
              annotations: { [annotations.suspendedBy]: null, [annotations.held]: null },
            },
          },
        ]),
      );
      expect(patches.every(({ resourceVersion }) => resourceVersion !== undefined)).toBe(true);
    }
  });

  it('that is deleted leaves what it holds where it is to leave it (scenario 63)', () => {
    const deleted = policy({ schedule: nights, onDelete: 'Leave' }, { deletionTimestamp: at(0) });
    const { patches } = decided(snapshot(deleted, [omit(held('a'), 'held')]));
    expect(patches.map(({ patch }) => patch)).toEqual([{ metadata: { finalizers: [] } }]);
  });

  it('that is deleted removes the note from what it leaves, unless another policy writes its own', () => {
    const deleted = policy({ schedule: nights, onDelete: 'Leave' }, { deletionTimestamp: at(0) });
    const objects = [held('a'), held('b', { rivals: [0] })];
    const of = snapshot(deleted, objects, { rivals: [rival('other')] });
    expect(decided(of).patches).toMatchObject([
      {
        ...{ target: { name: 'a' }, resourceVersion: '7' },
        patch: { metadata: { annotations: { [annotations.held]: null } } },
      },
    ]);
    expect(decided(of).mark('a')).toBeUndefined();
    const rejections = [
      { name: 'a', uid: asUid('uid-of-a'), code: 'Forbidden', message: 'no' } as const,
    ];
    const refused = decided({ ...of, rejections }).patches;
    expect(refused.map(({ patch }) => patch)).toEqual([{ metadata: { finalizers: [] } }]);
  });

  it('that is deleted leaves to another one what that holds', () => {
    const deleted = policy(undefined, { deletionTimestamp: at(0) });
    const rivals = [rival('other', { schedule: nights })];
    const { resumes, patches } = decided(
      snapshot(deleted, [held('a', { rivals: [0] })], { rivals }),
    );
    expect(resumes).toEqual([]);
    expect(patches).toHaveLength(1);
  });

  it('with dryRun only reports what it would do', () => {
    const dry = policy({ schedule: nights, dryRun: true });
    const { patches, status, events } = decided(snapshot(dry, [job('a')]));
    expect([patches, events]).toEqual([[], []]);
    expect(status.wouldHold).toEqual(['Job/default/a']);
    expect(decided(snapshot(dry, [held('a')]), opensAt).status.wouldResume).toEqual([
      'Job/default/a',
    ]);
  });

  it('that cannot be followed says so and does nothing', () => {
    const broken = policy({ schedule: { ...nights, timeZone: 'Mars/Base' } });
    const { patches, status, condition } = decided(snapshot(broken, [job('a'), held('b')]));
    expect(patches).toEqual([]);
    expect(status.state).toBe('Invalid');
    expect(condition('Accepted')).toBe('False/InvalidSpec');
    expect(status.message).toContain('no time zone of the tz database');
  });

  it('that cannot be followed gets one Event for each fault', () => {
    const zoned = (timeZone: string, status?: object) =>
      policy({ schedule: { ...nights, timeZone } }, status === undefined ? {} : { status });
    const first = decided(snapshot(zoned('Mars/Base'), [job('a')]));
    expect(first.events).toEqual(['nights InvalidSpec']);
    expect(decided(snapshot(zoned('Mars/Base', first.status), [])).events).toEqual([]);
    const other = decided(snapshot(zoned('Mars/Other', first.status), []));
    expect(other.events).toEqual(['nights InvalidSpec']);
  });

  it('reports a refusal, leaves the object for a while, and goes on with the rest', () => {
    const objects = [job('a'), job('b')];
    const rejections = [
      { name: 'a', uid: asUid('uid-of-a'), code: 'Forbidden', message: 'no' } as const,
    ];
    const { patches, condition, again, events } = decided(
      snapshot(policy(), objects, { rejections }),
    );
    expect(patches).toEqual([]);
    expect(events).toEqual(['a SuspensionRefused']);
    expect(condition('Refused')).toBe('True/Forbidden');
    expect(again).toBe(0);
    const alone = decided(snapshot(policy(), [job('a')], { rejections }));
    expect(alone.again).toBe(60);
  });

  it('reports when a refused object is suspended in the end, and forgets it not before', () => {
    const rejections = [
      { name: 'a', uid: asUid('uid-of-a'), code: 'Forbidden', message: 'no' } as const,
    ];
    const first = snapshot(policy(), [job('a')], { rejections });
    const refused = decided(first);
    expect(refused.status.refused).toEqual(['Job/default/a']);
    const again = snapshot(after(first, refused).policy, [job('a')]);
    const asked = decided(again, 60);
    expect(asked.suspends).toEqual(['a']);
    expect(asked.status.refused).toEqual(['Job/default/a']);
    expect(asked.condition('Refused')).toBe('True/Forbidden');
    const written = decided(snapshot(after(again, asked).policy, [held('a')]), 61);
    expect(written.events).toEqual(['a SuspensionAccepted']);
    expect(written.status).not.toHaveProperty('refused');
    expect(written.condition('Refused')).toBe('False/Written');
    // Before the status, which alone records it.
    const kinds = written.decision.plan.map((stage) => stage.map(({ kind }) => kind));
    expect(kinds).toEqual([['emitEvent'], ['patchStatus']]);
  });

  it('reports each suspension of an object in one period, and none twice', () => {
    const occurrences = (generation: number, nowS: number) =>
      decided(snapshot(policy(), [job('a', { generation })]), nowS).decision.plan.flatMap((stage) =>
        stage.flatMap((each) => (each.kind === 'emitEvent' ? [each.occurrence] : [])),
      );
    expect(occurrences(1, 0)).toEqual(occurrences(1, 5));
    expect(occurrences(1, 0)).not.toEqual(occurrences(3, 0));
  });

  it('reports on a CronJob that one of its runs is held (scenario 66)', () => {
    const cronJob = { name: 'hourly', uid: asUid('uid-of-hourly') };
    const { decision, events } = decided(snapshot(policy(), [job('hourly-1', { cronJob })]));
    expect(events).toEqual(['hourly-1 HeldByPolicy', 'hourly HeldByPolicy']);
    expect(decision.plan[0]?.[1]).toMatchObject({
      regarding: { ...cronJob, namespace: 'default', kind: 'CronJob', apiVersion: 'batch/v1' },
    });
  });

  it('reports its transitions by an Event', () => {
    const first = snapshot(policy());
    const looked = after(first, decided(first));
    expect(decided(looked, opensAt).events).toEqual(['nights WindowOpened']);
  });
});
