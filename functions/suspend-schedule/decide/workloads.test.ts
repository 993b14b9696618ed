/** Work that Kueue runs: its Workload is made inactive, and only Kueue suspends it. */
import { describe, expect, it } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import { omit } from '#shared/domain/omit.ts';
import type { SelectedObject } from '../snapshot.ts';
import {
  at,
  closedAt,
  held,
  hours,
  job,
  markIn,
  nights,
  opensAt,
  policy,
  rival,
  snapshot,
} from '../testing/builders.ts';
import { after, decided } from '../testing/decided.ts';

const note = held('a').held ?? '';
const workload = { name: 'job-a-1', uid: asUid('uid-of-workload') };
/** Admitted and running. */
const admitted = (fields: Partial<SelectedObject> = {}): SelectedObject => ({
  ...omit(job('a'), 'startedAt'),
  ...{ workload, ...fields },
});
const waiting = (fields: Partial<SelectedObject> = {}) =>
  admitted({ waits: true, isActive: false, ...fields });
const inactive = (fields: Partial<SelectedObject> = {}) =>
  admitted({
    ...{ suspend: true, isActive: false, waits: true, mark: markIn(closedAt) },
    ...{ held: note, told: note, ...fields },
  });
const closing = (onClose: object) => policy({ schedule: { ...nights, onClose } });

/** The written note on the Job. Undefined: none is written. */
function noteIn({ patches }: ReturnType<typeof decided>) {
  const [patch] = patches.filter(({ resource }) => resource.kind === 'Job');
  const metadata = patch?.patch['metadata'] as { annotations: Record<string, string | null> };
  return patch === undefined ? undefined : metadata.annotations['millrace.dev/held'];
}

function written({ patches }: ReturnType<typeof decided>) {
  const ofKueue = patches.filter(({ resource }) => resource.kind === 'Workload');
  const onJobs = patches.filter(({ resource }) => resource.kind === 'Job');
  for (const { patch } of onJobs) expect(patch).not.toHaveProperty('spec');
  return ofKueue.map(({ patch }) => (patch['spec'] as { active?: boolean } | undefined)?.active);
}

describe('a Job of Kueue', () => {
  it('has its Workload made inactive when the window has closed (scenario 64)', () => {
    const of = decided(snapshot(policy(), [admitted()]));
    expect(written(of)).toEqual([false]);
    const [patch] = of.patches;
    expect(patch).toMatchObject({
      target: { namespace: 'default', name: 'job-a-1' },
      ...{ uid: 'uid-of-workload', resourceVersion: '7', isFinal: true },
      patch: { metadata: { annotations: { 'millrace.dev/suspended-by': markIn(closedAt) } } },
    });
    expect(of.events).toEqual(['a HeldByPolicy']);
    const [event] = of.decision.plan.flat();
    expect(event).toMatchObject({ regarding: { kind: 'Job', name: 'a', uid: 'uid-of-a' } });
    expect(of.status).toMatchObject({ selected: 1, held: 1, running: 0, untouched: 0 });
  });

  it('has the note of its Workload on itself, for as long as it is there', () => {
    const closed = decided(snapshot(policy(), [admitted()]));
    expect(noteIn(closed)).toBe(JSON.stringify(closed.note('job-a-1')));
    const onJob = closed.patches.find(({ resource }) => resource.kind === 'Job');
    expect(onJob).toMatchObject({ target: { name: 'a' }, uid: 'uid-of-a' });
    const late = omit(inactive(), 'told');
    expect(noteIn(decided(snapshot(policy(), [late])))).toBe(note);
    expect(noteIn(decided(snapshot(policy(), [inactive()]), opensAt))).toBeNull();
    expect(noteIn(decided(snapshot(policy(), [inactive()])))).toBeUndefined();
    const opened = admitted({ mark: markIn(closedAt), held: note, told: note });
    expect(noteIn(decided(snapshot(policy(), [opened])))).toBeNull();
    const stale = admitted({ told: note });
    expect(noteIn(decided(snapshot(policy(), [stale]), opensAt))).toBeNull();
  });

  it('has it made active when the window opens, and no mark is left', () => {
    const open = decided(snapshot(policy(), [inactive()]), opensAt);
    expect(written(open)).toEqual([true]);
    expect(open.mark('job-a-1')).toBeNull();
    expect(open.patches[0]).toMatchObject({ resourceVersion: '7' });
  });

  it('is written once in either state', () => {
    const first = snapshot(policy(), [inactive()]);
    expect(decided(after(first, decided(first)), 60).decision.plan).toEqual([]);
    const open = snapshot(policy(), [admitted()]);
    expect(decided(after(open, decided(open, opensAt)), opensAt + 60).decision.plan).toEqual([]);
  });

  it('stays inactive where a user has made it so, whatever is adopted', () => {
    const theirs = admitted({ suspend: true, waits: true });
    for (const adopt of ['Running', 'Both'] as const) {
      const of = decided(snapshot(policy({ schedule: nights, adopt }), [theirs]), opensAt);
      expect(written(of)).toEqual([]);
    }
  });

  it('is left alone until the next transition when a user has made it active', () => {
    const by = snapshot(policy(), [admitted({ mark: markIn(closedAt) })]);
    expect(written(decided(by))).toEqual([]);
    expect(decided(by).status).toMatchObject({ overridden: 1 });
    expect(written(decided(by, closedAt + 24 * hours))).toEqual([false]);
  });

  it('finishes where it runs, and is held where it waits (LetFinish)', () => {
    const of = (object: SelectedObject) =>
      written(decided(snapshot(closing({ action: 'LetFinish' }), [object])));
    expect(of(admitted())).toEqual([]);
    expect(of(waiting())).toEqual([false]);
  });

  it('is warned and then held where it runs (SuspendAfter)', () => {
    const grace = { action: 'SuspendAfter', afterSeconds: 900, warnSeconds: 300 };
    const of = snapshot(closing(grace), [admitted()]);
    expect(written(decided(of, closedAt + 1))).toEqual([]);
    const warned = decided(of, closedAt + 600);
    expect([written(warned), warned.events]).toEqual([[undefined], ['a SuspendsSoon']]);
    expect(written(decided(of, closedAt + 900))).toEqual([false]);
  });

  it('takes no room, and waits for none', () => {
    const capacity = policy({ capacity: { maxJobs: 1 } });
    const own = [job('own'), held('next', { mark: markIn(0) })];
    const of = decided(snapshot(capacity, [waiting(), admitted({ uid: asUid('b') }), ...own]));
    expect(of.suspends).toEqual([]);
    expect(of.resumes).toEqual([]);
    expect(of.status).toMatchObject({ running: 3, held: 1 });
    const alone = decided(snapshot(capacity, [admitted(), held('next', { mark: markIn(0) })]));
    expect(alone.resumes).toEqual(['next']);
    const none = policy({ capacity: { maxJobs: 0 } });
    expect(written(decided(snapshot(none, [inactive({ mark: markIn(0) })])))).toEqual([true]);
  });

  it('takes no turn of its group', () => {
    const shared = policy({ capacity: { maxJobs: 1 }, fairness: { groupBy: 'Namespace' } });
    const of = (name: string, group: string, fields: Partial<SelectedObject> = {}) =>
      held(name, { mark: markIn(0), group, ...fields });
    const first = of('first', 'x', { createdAt: at(-30 * hours) });
    const both = [admitted({ group: 'x' }), first, of('second', 'y')];
    expect(decided(snapshot(shared, both)).resumes).toEqual(['first']);
  });

  it('is reported and tried again where the write is refused', () => {
    const refusal = { name: 'job-a-1', uid: workload.uid, code: 'Forbidden', message: 'no' };
    const of = decided(snapshot(policy(), [admitted()], { rejections: [refusal as never] }));
    expect(written(of)).toEqual([]);
    expect(of.events).toEqual(['a SuspensionRefused']);
    expect(of.status.refused).toEqual(['Job/default/a']);
    expect(of.again).toBe(60);
  });

  it('is given back when the policy goes, or selects it no more', () => {
    const own = policy();
    const going = { ...own, metadata: { ...own.metadata, deletionTimestamp: at(0) } };
    expect(written(decided(snapshot(going, [inactive()])))).toEqual([true]);
    expect(written(decided(snapshot(own, [inactive({ isSelected: false })])))).toEqual([true]);
  });

  it('stays inactive without a note when its policy goes and leaves it', () => {
    const own = policy({ schedule: nights, onDelete: 'Leave' });
    const going = { ...own, metadata: { ...own.metadata, deletionTimestamp: at(0) } };
    const of = decided(snapshot(going, [inactive()]));
    expect(written(of)).toEqual([undefined]);
    expect([of.note('job-a-1'), noteIn(of)]).toEqual([null, null]);
  });

  it('is taken over from another policy with its mark', () => {
    const other = inactive({ mark: 'other/0', rivals: [0] });
    const rivals = [rival('other', { precedence: -1 })];
    const of = decided(snapshot(policy(), [other], { rivals }));
    expect(written(of)).toEqual([undefined]);
    expect(of.mark('job-a-1')).toBe(markIn(closedAt));
  });
});
