import { describe, expect, it } from 'vitest';
import type { ClusterSuspendPolicySpec } from '#shared/api/suspend-policy.ts';
import type { Decision } from '#shared/domain/decision.ts';
import { asUid } from '#shared/domain/objects.ts';
import { omit } from '#shared/domain/omit.ts';
import type { SelectedObject } from '../snapshot.ts';
import {
  at,
  held,
  hours,
  job,
  markIn,
  nights,
  opensAt,
  policy,
  snapshot,
  submitted,
} from '../testing/builders.ts';
import { after, decided } from '../testing/decided.ts';

const withCapacity = (
  capacity: ClusterSuspendPolicySpec['capacity'],
  extra: Partial<ClusterSuspendPolicySpec> = {},
) => policy({ capacity, adopt: 'Both', ...extra } as Partial<ClusterSuspendPolicySpec>);

const waiting = (name: string, priority: number, minutes = 0) =>
  submitted(name, { priority, createdAt: at(-600 + minutes * 60) });

describe('a capacity', () => {
  it('starts by priority, then by age, as many as there is room for (scenario 58)', () => {
    const objects = [
      waiting('old-low', 0, 0),
      waiting('young-high', 9, 2),
      waiting('old-high', 9, 1),
      waiting('middle', 5, 0),
    ];
    const { resumes, annotates, note, status } = decided(
      snapshot(withCapacity({ maxJobs: 3 }), objects),
    );
    expect(resumes).toEqual(['old-high', 'young-high', 'middle']);
    expect(annotates).toEqual(['old-low']);
    expect(note('old-low')).toMatchObject({ reason: 'CapacityFull', place: 1 });
    expect(status).toMatchObject({ running: 3, held: 1, next: ['Job/default/old-low'] });
  });

  it('counts what still terminates (kubernetes#115844)', () => {
    const objects = [held('leaving', { isActive: true, override: 'Hold' }), waiting('next', 0)];
    const full = decided(snapshot(withCapacity({ maxJobs: 1 }), objects));
    expect(full.resumes).toEqual([]);
    expect(full.status.terminating).toBe(1);
  });

  describe('while something that was let in on creation may not be in sight', () => {
    const heldOnCreation = (createdAt: number, letIn: number, by = 'nights') => {
      const note = {
        policy: `SuspendPolicy/default/${by}`,
        ...{ reason: 'CapacityFull', since: at(createdAt), letIn: at(letIn) },
      };
      const mark = markIn(0);
      return submitted('late', { mark, held: JSON.stringify(note), createdAt: at(createdAt) });
    };
    const looked = (...objects: readonly SelectedObject[]) =>
      decided(snapshot(withCapacity({ maxJobs: 3 }), objects));

    it('starts nothing into what looks like room, and looks again when it must be there', () => {
      const older = waiting('older', 9);
      const { resumes, again } = looked(older, heldOnCreation(-1, -2));
      expect(resumes).toEqual([]);
      expect(again).toBe(1);
    });

    it.each([
      ['three seconds later', heldOnCreation(-1, -3)],
      ['when the note is of another policy', heldOnCreation(-1, -1, 'days')],
      ['when the note has a future time, and it was created long ago', heldOnCreation(-9, 60)],
    ])('starts it %s', (_, object) => {
      expect(looked(object).resumes).toEqual(['late']);
    });
  });

  it('counts what runs by an override', () => {
    const objects = [job('forced', { override: 'Run' }), waiting('next', 0)];
    expect(decided(snapshot(withCapacity({ maxJobs: 1 }), objects)).resumes).toEqual([]);
  });

  it('counts the requests of all Pods of a Job, and passes what never fits', () => {
    const asks = (name: string, cpu: number, minutes: number) => ({
      ...waiting(name, 0, minutes),
      requests: { cpu },
    });
    const objects = [asks('a', 3, 0), asks('giant', 11, 1), asks('b', 7, 2), asks('c', 0.5, 3)];
    const { resumes, status, note } = decided(
      snapshot(withCapacity({ resources: { cpu: '10' } }), objects),
    );
    expect(resumes).toEqual(['a', 'b']);
    expect(status.unschedulable).toBe(1);
    expect(note('giant')).toMatchObject({ reason: 'Unschedulable' });
  });

  it('lets nothing pass with StrictFIFO, and what fits with BestEffortFIFO', () => {
    const objects = [
      { ...waiting('large', 1), requests: { cpu: 8 } },
      { ...waiting('small', 0), requests: { cpu: 1 } },
      job('runs', { requests: { cpu: 5 } }),
    ];
    const of = (strategy: 'StrictFIFO' | 'BestEffortFIFO') =>
      decided(snapshot(withCapacity({ resources: { cpu: 10 } }, { order: { strategy } }), objects));
    expect(of('StrictFIFO').resumes).toEqual([]);
    expect(of('BestEffortFIFO').resumes).toEqual(['small']);
  });

  it('suspends the latest when more runs than there is room for', () => {
    const objects = [
      job('first', { startedAt: at(-300) }),
      job('latest', { startedAt: at(-100), priority: 9 }),
      job('second', { startedAt: at(-200) }),
    ];
    const { suspends, note } = decided(snapshot(withCapacity({ maxJobs: 2 }), objects));
    expect(suspends).toEqual(['latest']);
    expect(note('latest')).toMatchObject({ reason: 'CapacityFull' });
  });

  it('suspends what has not started before what has, however old it is', () => {
    const fresh = omit(job('fresh', { createdAt: at(-9 * hours) }), 'startedAt');
    const objects = [fresh, job('latest', { startedAt: at(-100) })];
    expect(decided(snapshot(withCapacity({ maxJobs: 1 }), objects)).suspends).toEqual(['fresh']);
  });

  it.each([{}, { preemption: { mode: 'LowerPriority' as const } }])(
    'suspends nothing for the sake of what runs and never fits (%o)',
    (fields) => {
      const objects = [
        job('small', { startedAt: at(-100), requests: { cpu: 1 } }),
        job('giant', { startedAt: at(-200), requests: { cpu: 11 }, priority: 9 }),
      ];
      const full = withCapacity({ resources: { cpu: 10 } }, fields);
      const { suspends, note, status } = decided(snapshot(full, objects));
      expect(suspends).toEqual(['giant']);
      expect(note('giant')).toMatchObject({ reason: 'Unschedulable' });
      expect(status.unschedulable).toBe(1);
    },
  );

  it('raises the priority of what waits (aging), and lets nothing before what waited longest', () => {
    const fairness = { agingSeconds: 100 };
    const objects = [
      submitted('old', { priority: 0, createdAt: at(-500) }),
      submitted('young', { priority: 4, createdAt: at(-10) }),
    ];
    const of = (fields: object) => decided(snapshot(withCapacity({ maxJobs: 1 }, fields), objects));
    expect(of({}).resumes).toEqual(['young']);
    expect(of({ fairness }).resumes).toEqual(['old']);
    expect(of({ fairness: { maxWaitSeconds: 500 } }).resumes).toEqual(['old']);
  });

  it('believes no note that something has waited since before its creation', () => {
    const long = { policy: 'forged', reason: 'CapacityFull', since: '2000-01-01T00:00:00Z' };
    const objects = [
      held('forged', { createdAt: at(-10), isActive: false, held: JSON.stringify(long) }),
      waiting('honest', 0),
    ];
    const fair = withCapacity({ maxJobs: 1 }, { fairness: { maxWaitSeconds: 100 } });
    expect(decided(snapshot(fair, objects)).resumes).toEqual(['honest']);
  });

  it('lets namespaces take turns within a priority, those first of which less runs', () => {
    const of = (group: string, name: string, priority: number, minutes: number) => ({
      ...waiting(`${group}-${name}`, priority, minutes),
      group,
    });
    const objects = [
      job('a-runs', { group: 'a' }),
      ...['1', '2', '3'].map((name, minutes) => of('a', name, 0, minutes)),
      of('b', '1', 0, 8),
      of('b', '2', 0, 9),
      of('c', '1', 0, 7),
      of('a', 'urgent', 5, 9),
    ];
    const starts = (maxJobs: number, fairness: object) => {
      const { resumes, status } = decided(
        snapshot(withCapacity({ maxJobs }, { fairness }), objects),
      );
      const next = status.next?.map((name) => name.slice('Job/default/'.length)) ?? [];
      return [...resumes, '|', ...next].join(' ');
    };
    const shared = { groupBy: 'Namespace' };
    // Two of a run when the urgent one does, so each other group has two turns before a's next one.
    expect(starts(5, shared)).toBe('a-urgent c-1 b-1 b-2 | a-1 a-2 a-3');
    expect(starts(1, shared)).toBe('| a-urgent c-1 b-1 b-2 a-1 a-2 a-3');
    expect(starts(5, {})).toBe('a-urgent a-1 a-2 a-3 | c-1 b-1 b-2');
    // Overdue objects do not wait for their turn.
    const overdue = { ...shared, maxWaitSeconds: 600 };
    expect(starts(5, overdue)).toBe('a-1 a-urgent c-1 b-1 | b-2 a-2 a-3');
  });

  it('lets nothing start past what is overdue, also with BestEffortFIFO (scenario 59)', () => {
    const objects = [
      { ...submitted('overdue', { createdAt: at(-1_000) }), requests: { cpu: 8 } },
      { ...submitted('small', { priority: 9, createdAt: at(-10) }), requests: { cpu: 1 } },
      job('runs', { requests: { cpu: 5 } }),
    ];
    const of = (maxWaitSeconds: number) =>
      decided(
        snapshot(
          withCapacity(
            { resources: { cpu: 10 } },
            { order: { strategy: 'BestEffortFIFO' }, fairness: { maxWaitSeconds } },
          ),
          objects,
        ),
      );
    expect(of(1_000).resumes).toEqual([]);
    expect(of(1_001).resumes).toEqual(['small']);
  });

  it('holds everything while the window is closed, and fills up when it opens', () => {
    const objects = [held('a', { priority: 1 }), held('b')];
    const both = withCapacity({ maxJobs: 1 }, { schedule: nights });
    expect(decided(snapshot(both, objects)).resumes).toEqual([]);
    expect(decided(snapshot(both, objects), opensAt).resumes).toEqual(['a']);
  });
});

describe('what a capacity lets in', () => {
  const letIn = (name: string, resourceVersion = '7') => ({
    object: `Job/default/${name}`,
    resourceVersion,
  });
  const starting = (name: string, priority = 0) =>
    ({ ...waiting(name, priority), isStarting: true }) as const;
  const preempting = withCapacity({ maxJobs: 2 }, { preemption: { mode: 'LowerPriority' } });
  const stagesOf = ({ decision }: { readonly decision: Decision }) =>
    decision.plan.map((stage) => stage.map(({ kind }) => kind).join());

  it('is on record, fenced by the version of the policy, before anything is resumed', () => {
    const { decision, status } = decided(
      snapshot(withCapacity({ maxJobs: 1 }), [waiting('a', 1), waiting('b', 0)]),
    );
    expect(stagesOf({ decision })).toEqual(['patchStatus', 'patch,patch']);
    expect(decision.plan[0]?.[0]).toMatchObject({ resourceVersion: '100' });
    expect(status.lastResumed).toEqual([letIn('a')]);
  });

  it('reports a transition and refusals before the record hides that they were new', () => {
    const opened = policy(
      { capacity: { maxJobs: 1 }, schedule: nights },
      { status: { state: 'Closed', observedGeneration: 1 } },
    );
    const done = decided(snapshot(opened, [held('a')]), opensAt);
    expect(stagesOf(done)).toEqual(['emitEvent', 'patchStatus', 'patch']);
    expect(done.events).toEqual(['nights WindowOpened']);
  });

  it('takes its room although what is seen of it is of before the policy took it', () => {
    const seen = submitted('a', { isStarting: true });
    const { resumes } = decided(snapshot(policy({ capacity: { maxJobs: 1 } }), [seen, held('b')]));
    expect(resumes).toEqual(['a']);
  });

  it('is not recorded where there is room for everything', () => {
    const open = policy({ schedule: nights });
    const done = decided(snapshot(open, [held('a')]), opensAt);
    expect(stagesOf(done).at(-1)).toBe('patchStatus');
    expect(done.status.lastResumed).toBeUndefined();
  });

  it('has its room while it is not seen to run, and nothing of more importance takes it', () => {
    const objects = [starting('a'), waiting('urgent', 9)];
    const { resumes, status } = decided(snapshot(withCapacity({ maxJobs: 1 }), objects));
    expect(resumes).toEqual(['a']);
    expect(status).toMatchObject({ running: 1, held: 1, next: ['Job/default/urgent'] });
  });

  it('is resumed again without another record: the run that let it in may have crashed first', () => {
    const status = { lastResumed: [letIn('a')] };
    const full = withCapacity({ maxJobs: 1 });
    const first = snapshot({ ...full, status }, [starting('a'), waiting('b', 0)]);
    const again = decided(after(first, decided(first)), 5);
    expect(again.resumes).toEqual(['a']);
    expect(again.writesStatus).toBe(false);
  });

  it('gives way to nothing before it is seen to run', () => {
    const objects = [starting('a'), job('runs'), waiting('urgent', 9)];
    const { resumes, suspends } = decided(snapshot(preempting, objects));
    expect([resumes, suspends]).toEqual([['a'], ['runs']]);
  });

  it('is not let in after all where the capacity was lowered meanwhile', () => {
    const objects = [starting('a'), job('runs')];
    const { resumes, suspends, status } = decided(snapshot(withCapacity({ maxJobs: 1 }), objects));
    expect([resumes, suspends]).toEqual([[], []]);
    expect(status).toMatchObject({ running: 1, held: 1 });
  });

  it('counts for its group', () => {
    const shared = withCapacity({ maxJobs: 2 }, { fairness: { groupBy: 'Namespace' } });
    const objects = [
      { ...starting('a1'), group: 'a' },
      { ...waiting('a2', 0, 1), group: 'a' },
      { ...waiting('b1', 0, 2), group: 'b' },
    ];
    expect(decided(snapshot(shared, objects)).resumes).toEqual(['a1', 'b1']);
    // Once, even in the reported order of the waiting objects.
    const runs = [
      ...objects,
      ...['c1', 'c2'].map((name) => ({ ...waiting(name, 0, 3), group: 'c' })),
    ];
    const again = [...runs, job('b0', { group: 'b', override: 'Run' })];
    const names = decided(snapshot(shared, again)).status.next;
    expect(names).toEqual(['c1', 'a2', 'b1', 'c2'].map((name) => `Job/default/${name}`));
  });

  it('comes first where there is more to do than one decision does', () => {
    const others = Array.from({ length: 200 }, (_, each) => waiting(`j${each}`, 5));
    const objects = [...others, starting('a')];
    const { resumes } = decided(snapshot(withCapacity({ maxJobs: 500 }), objects));
    expect(resumes).toHaveLength(128);
    expect(resumes[0]).toBe('a');
  });

  it('is on the record once, the latest first, with fifty of those before', () => {
    const before = Array.from({ length: 60 }, (_, each) => letIn(`before-${each}`));
    const status = { lastResumed: [...before.slice(0, 10), letIn('a', '3'), ...before.slice(10)] };
    const full = { ...withCapacity({ maxJobs: 1 }), status };
    const { lastResumed = [] } = decided(snapshot(full, [waiting('a', 0)])).status;
    expect(lastResumed).toEqual([letIn('a'), ...before.slice(0, 50)]);
  });

  it('is taken off the record when the API server refuses it, and when there is no capacity any more', () => {
    const status = { lastResumed: [letIn('a'), letIn('b')] };
    const objects = [starting('a'), job('b')];
    const rejection = {
      ...{ uid: asUid('uid-of-a'), name: 'a', message: 'no' },
      code: 'Forbidden' as const,
    };
    const refused = snapshot({ ...withCapacity({ maxJobs: 3 }), status }, objects, {
      rejections: [rejection],
    });
    expect(decided(refused).status.lastResumed).toEqual([letIn('b')]);
    const unlimited = snapshot({ ...policy({ schedule: nights }), status }, objects);
    expect(decided(unlimited, opensAt).status.lastResumed).toBeUndefined();
  });
});

describe('preemption', () => {
  const preempting = (minRunSeconds = 0) =>
    withCapacity({ maxJobs: 2 }, { preemption: { mode: 'LowerPriority', minRunSeconds } });
  const running = [job('low', { priority: 1 }), job('lower', { priority: 0 })];

  it('suspends the lowest for one of higher priority, which starts when the Pods are gone', () => {
    const objects = [...running, waiting('high', 5)];
    const { suspends, resumes } = decided(snapshot(preempting(), objects));
    expect(suspends).toEqual(['lower']);
    expect(resumes).toEqual([]);
    const leaving = held('lower', { isActive: true });
    const then = decided(
      snapshot(preempting(), [job('low', { priority: 1 }), leaving, waiting('high', 5)]),
    );
    expect([then.suspends, then.resumes]).toEqual([[], []]);
    const gone = held('lower', { isActive: false });
    const last = decided(
      snapshot(preempting(), [job('low', { priority: 1 }), gone, waiting('high', 5)]),
    );
    expect(last.resumes).toEqual(['high']);
  });

  it('does not happen among equals, nor when nothing says so', () => {
    const objects = [...running, waiting('equal', 0)];
    expect(decided(snapshot(preempting(), objects)).suspends).toEqual([]);
    const never = withCapacity({ maxJobs: 2 });
    expect(decided(snapshot(never, [...running, waiting('high', 5)])).suspends).toEqual([]);
  });

  it('waits until what runs has run for its time', () => {
    const young = running.map((each) => ({ ...each, startedAt: at(-60) }));
    const objects = [...young, waiting('high', 5)];
    const { suspends, again } = decided(snapshot(preempting(100), objects));
    expect(suspends).toEqual([]);
    expect(again).toBe(40);
    expect(decided(snapshot(preempting(100), objects), 40).suspends).toEqual(['lower']);
  });

  it.each([0, 1_800])(
    'suspends what has not started rather than what has run, where that is to run for %i s',
    (minRunSeconds) => {
      const lower = omit(job('lower', { priority: 0 }), 'startedAt');
      const objects = [job('low', { priority: 1 }), lower, waiting('high', 5)];
      expect(decided(snapshot(preempting(minRunSeconds), objects)).suspends).toEqual(['lower']);
    },
  );

  it('suspends nothing when that would not be enough', () => {
    const asks = (name: string, priority: number, cpu: number) =>
      job(name, { priority, requests: { cpu } });
    const objects = [
      asks('low', 0, 2),
      asks('high', 9, 8),
      { ...waiting('middle', 5), requests: { cpu: 4 } },
    ];
    const of = withCapacity({ resources: { cpu: 10 } }, { preemption: { mode: 'LowerPriority' } });
    expect(decided(snapshot(of, objects)).suspends).toEqual([]);
  });
});

it('starts what was held before in the order of its wait', () => {
  const note = (since: number) => JSON.stringify({ since: at(since) });
  const objects = [
    held('later', { held: note(-hours), createdAt: at(-9 * hours) }),
    held('earlier', { held: note(-2 * hours), createdAt: at(-8 * hours) }),
  ];
  const of = withCapacity({ maxJobs: 1 }, { fairness: { maxWaitSeconds: 1_800 } });
  expect(decided(snapshot(of, objects)).resumes).toEqual(['earlier']);
});
