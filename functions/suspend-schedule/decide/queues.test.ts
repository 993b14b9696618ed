/** Queues of Kueue: one write for all work in a queue. */
import { describe, expect, it } from 'vitest';
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

const queue = (fields: Partial<SelectedObject> = {}): SelectedObject => ({
  ...job('main', { isActive: false, hasRun: false, startedAt: '' }),
  ...{ kind: 'LocalQueue' as const, ...fields },
});
const stopped = (stop: 'starts' | 'everything', fields: Partial<SelectedObject> = {}) =>
  queue({
    ...{ suspend: true, mark: `${markIn(closedAt)}/${stop}`, held: held('main').held ?? '' },
    ...(stop === 'starts' ? { letsFinish: true } : {}),
    ...fields,
  });
/** A queue that a user has set to `Hold`. */
const setOtherwise = (fields: Partial<SelectedObject> = {}) =>
  stopped('everything', { letsFinish: true, isSetOtherwise: true, ...fields });
const closed = (onClose?: object) =>
  policy({
    kinds: ['LocalQueue'],
    schedule: { ...nights, ...(onClose === undefined ? {} : { onClose }) },
  });
const ofQueue = (patches: ReturnType<typeof decided>['patches']) =>
  patches.filter(({ resource }) => resource.kind === 'LocalQueue');
/** The written values of `spec.stopPolicy`, in the order of the plan. */
const written = ({ patches }: ReturnType<typeof decided>) =>
  ofQueue(patches).map(
    ({ patch }) => (patch['spec'] as { readonly stopPolicy?: string } | undefined)?.stopPolicy,
  );

const finishing = { action: 'LetFinish' } as const;
const grace = { action: 'SuspendAfter', afterSeconds: 900 } as const;

describe('a queue of Kueue', () => {
  it('is drained by one write when the window has closed, only as it was read (scenario 65)', () => {
    const { patches, mark, note, events, status } = decided(snapshot(closed(), [queue()]));
    expect(ofQueue(patches)).toMatchObject([
      {
        target: { namespace: 'default', name: 'main' },
        ...{ resourceVersion: '7', isFinal: true },
        patch: { spec: { stopPolicy: 'HoldAndDrain' } },
      },
    ]);
    expect(mark('main')).toBe(`${markIn(closedAt)}/everything`);
    expect(note('main')).toMatchObject({ reason: 'WindowClosed', until: at(opensAt) });
    expect(events).toEqual(['main HeldByPolicy']);
    expect(status).toMatchObject({ selected: 1, held: 1, running: 0, untouched: 0 });
  });

  it('is opened again where it is as it was written', () => {
    const open = decided(snapshot(closed(), [stopped('everything')]), opensAt);
    expect(written(open)).toEqual(['None']);
    expect(open.mark('main')).toBeNull();
    expect(open.status).toMatchObject({ held: 0, running: 1 });
  });

  it('is written once: at rest nothing is', () => {
    const first = snapshot(closed(), [stopped('everything')]);
    const again = decided(after(first, decided(first)), 60);
    expect(again.decision.plan).toEqual([]);
    expect(again.again).toBe(opensAt);
  });

  it('takes nothing more and lets finish what runs (LetFinish)', () => {
    const of = decided(snapshot(closed(finishing), [queue()]));
    expect(written(of)).toEqual(['Hold']);
    expect(of.mark('main')).toBe(`${markIn(closedAt)}/starts`);
    const [event] = of.decision.plan.flat();
    expect(event).toMatchObject({
      note: `suspending: SuspendPolicy/default/nights is closed until ${at(opensAt)}; running work continues`,
    });
    const rest = snapshot(closed(finishing), [stopped('starts')]);
    const looked = decided(after(rest, decided(rest)), 60);
    expect([looked.decision.plan, looked.again]).toEqual([[], opensAt]);
    expect(written(decided(rest, opensAt))).toEqual(['None']);
  });

  it('takes nothing more during the grace, and is drained after it (SuspendAfter)', () => {
    const during = decided(snapshot(closed(grace), [queue()]), closedAt + 1);
    expect([written(during), during.again]).toEqual([['Hold'], closedAt + 900]);
    const held = snapshot(closed(grace), [stopped('starts')]);
    expect(written(decided(held, closedAt + 899))).toEqual([]);
    const past = decided(held, closedAt + 900);
    expect(written(past)).toEqual(['HoldAndDrain']);
    expect(past.mark('main')).toBe(`${markIn(closedAt)}/everything`);
  });

  it('has no grace when it was created after the closing', () => {
    const late = queue({ createdAt: at(closedAt + 60) });
    expect(written(decided(snapshot(closed(finishing), [late])))).toEqual(['HoldAndDrain']);
  });

  it('stays drained where it is when what runs might finish from now on', () => {
    expect(written(decided(snapshot(closed(finishing), [stopped('everything')])))).toEqual([]);
  });

  it('keeps the setting of a user, now and after the opening', () => {
    const now = decided(snapshot(closed(), [setOtherwise()]));
    expect(written(now)).toEqual([undefined]);
    expect(now.events).toEqual(['main ManualOverride']);
    expect(now.status).toMatchObject({ held: 0, overridden: 1 });
    const [event] = now.decision.plan.flat();
    expect(event).toMatchObject({
      note: expect.stringContaining('a user or another controller suspended it') as string,
    });
    const quiet = omit(setOtherwise(), 'held');
    for (const time of [opensAt, opensAt + 24 * hours, closedAt + 24 * hours]) {
      expect(ofQueue(decided(snapshot(closed(), [quiet]), time).patches)).toEqual([]);
    }
  });

  it('is no longer reported after a user changed it, although no decision saw the change', () => {
    const late = decided(snapshot(closed(), [setOtherwise()]), opensAt);
    expect(written(late)).toEqual([undefined]);
    expect(late.note('main')).toBeNull();
  });

  it('is left alone until the next transition when a user opened it', () => {
    const { suspend, letsFinish, ...opened } = stopped('everything');
    expect([suspend, letsFinish]).toEqual([true, undefined]);
    const by = snapshot(closed(), [{ ...opened, suspend: false }]);
    expect(written(decided(by))).toEqual([undefined]);
    expect(written(decided(by, closedAt + 24 * hours))).toEqual(['HoldAndDrain']);
  });

  it('is not opened when a user has stopped it', () => {
    const theirs = queue({ suspend: true });
    expect(ofQueue(decided(snapshot(closed(), [theirs]), opensAt).patches)).toEqual([]);
  });

  it('is given back when the policy goes, unless a user has changed it', () => {
    const going = { ...closed(), spec: { ...closed().spec } };
    const deleted = {
      ...going,
      metadata: { ...going.metadata, deletionTimestamp: at(0) },
    };
    expect(written(decided(snapshot(deleted, [stopped('starts')])))).toEqual(['None']);
    // Only the mark is written.
    expect(written(decided(snapshot(deleted, [setOtherwise()])))).toEqual([undefined]);
  });

  it('is given back when it is selected no more, unless a user has changed it', () => {
    const of = (object: SelectedObject) =>
      decided(snapshot(closed(), [{ ...object, isSelected: false }]));
    expect(written(of(stopped('everything')))).toEqual(['None']);
    expect(ofQueue(of(setOtherwise()).patches)).toEqual([]);
  });

  it('is taken over from another policy with its mark', () => {
    const other = stopped('everything', { mark: `other/0/everything`, rivals: [0] });
    const both = snapshot(closed(), [other], { rivals: [rival('other', { precedence: -1 })] });
    const of = decided(both);
    expect(written(of)).toEqual([undefined]);
    expect(of.mark('main')).toBe(`${markIn(closedAt)}/everything`);
  });

  it('is tried again when the write is refused, and is not taken for written before', () => {
    const refused = {
      ...{ name: 'main', uid: queue().uid, code: 'MR_API_FORBIDDEN', message: 'no' },
    };
    const half = stopped('starts');
    const of = decided(
      snapshot(closed(grace), [half], { rejections: [refused as never] }),
      closedAt + 900,
    );
    expect(of.status.refused).toEqual(['LocalQueue/default/main']);
    const next = decided(after(snapshot(closed(grace), [half]), of), closedAt + 961);
    expect(next.events).toEqual(['main HeldByPolicy']);
    expect(written(next)).toEqual(['HoldAndDrain']);
  });

  it('is opened by its annotation while it is closed', () => {
    const wanted = stopped('everything', { override: 'Run' });
    expect(written(decided(snapshot(closed(), [wanted])))).toEqual(['None']);
  });
});
