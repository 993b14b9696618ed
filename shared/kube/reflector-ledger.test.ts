import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { ReflectorLedger } from './reflector-ledger.ts';
import type { Change } from './reflector-options.ts';
import { histories, versionsOf } from './testing/random-history.ts';

/** A list of the state at a version, or events from there on. Each covers a part of the history. */
const deliveries = fc.array(
  fc.record({
    kind: fc.constantFrom('list' as const, 'events' as const),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    count: fc.integer({ min: 1, max: 5 }),
  }),
  { maxLength: 24 },
);

it('reports the changes from each state to the next, whatever is delivered twice or late (ledger-1, ledger-2)', () => {
  fc.assert(
    fc.property(histories, deliveries, ({ events, at }, deliveredInTurn) => {
      const ledger = new ReflectorLedger();
      const mirror = new Map<string, KubeObject>();
      take(mirror, ledger.takeList(listAt(0)));
      for (const { kind, share, count } of deliveredInTurn) {
        const version = Math.round(share * events.length);
        const before = Number(ledger.version);
        if (kind === 'list') {
          const list = listAt(version);
          expect(ledger.isOlder(list)).toBe(version < before);
          if (!ledger.isOlder(list)) take(mirror, ledger.takeList(list));
        } else {
          // A replica that is behind repeats earlier events.
          const from = Math.min(version, before);
          for (const event of events.slice(from, from + count))
            take(mirror, ledger.takeEvent(event));
        }
        expect(Number(ledger.version)).toBeGreaterThanOrEqual(before);
        expect(versionsOf(mirror.values())).toEqual(versionsOf(at(Number(ledger.version))));
      }

      function listAt(version: number) {
        return { items: at(version), resourceVersion: asResourceVersion(String(version)) };
      }
    }),
  );
});

it('an object that is known under its version is not reported again', () => {
  fc.assert(
    fc.property(histories, ({ events, at }) => {
      const ledger = new ReflectorLedger();
      const resourceVersion = asResourceVersion(String(events.length));
      const list = { items: at(events.length), resourceVersion };
      ledger.takeList(list);
      expect(ledger.takeList(list)).toEqual([]);
      expect(events.flatMap((event) => ledger.takeEvent(event))).toEqual([]);
    }),
  );
});

it('an object whose name another one has taken is reported as gone, before the other', () => {
  const object = (uid: string, version: string): KubeObject => ({
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: { name: 'a', uid: asUid(uid), resourceVersion: asResourceVersion(version) },
  });
  const ledger = new ReflectorLedger();
  ledger.takeList({ items: [object('u1', '1')], resourceVersion: asResourceVersion('1') });
  expect(ledger.takeEvent({ type: 'ADDED', object: object('u2', '3') })).toEqual([
    { type: 'gone', object: object('u1', '1') },
    { type: 'changed', object: object('u2', '3') },
  ]);
  expect(ledger.takeEvent({ type: 'DELETED', object: object('u1', '4') })).toHaveLength(1);
  const list = { items: [object('u2', '3')], resourceVersion: asResourceVersion('5') };
  expect(ledger.takeList(list)).toEqual([]);
});

it('reports once that an object known from an own write is gone when a list lacks it (ledger-4)', () => {
  const object = (uid: string): KubeObject => ({
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: { name: uid, uid: asUid(uid), resourceVersion: asResourceVersion('1') },
  });
  const ledger = new ReflectorLedger();
  ledger.takeList({ items: [object('heard')], resourceVersion: asResourceVersion('1') });
  const dropped = [object('heard'), object('own')];
  const list = { items: [], resourceVersion: asResourceVersion('5') };
  expect(ledger.takeList(list, dropped)).toEqual([
    { type: 'gone', object: object('heard') },
    { type: 'gone', object: object('own') },
  ]);
  expect(ledger.takeList(list)).toEqual([]);
});

it('after a restore all listed objects are reported, and the others as gone', () => {
  fc.assert(
    fc.property(histories, fc.nat(), ({ events, at }, choice) => {
      const ledger = new ReflectorLedger();
      const mirror = new Map<string, KubeObject>();
      const now = { items: at(events.length), resourceVersion: asResourceVersion('900') };
      take(mirror, ledger.takeList(now));
      const past = choice % (events.length + 1);
      const restored = { items: at(past), resourceVersion: asResourceVersion(String(past)) };
      const changes = ledger.startOver(restored);
      take(mirror, changes);
      expect(versionsOf(mirror.values())).toEqual(versionsOf(restored.items));
      const changed = changes.filter(({ type }) => type === 'changed');
      expect(versionsOf(changed.map(({ object }) => object))).toEqual(versionsOf(restored.items));
      expect(ledger.version).toBe(restored.resourceVersion);
    }),
  );
});

/** Keeps objects by uid, as a receiver does, so that a deletion at the wrong time shows. */
function take(mirror: Map<string, KubeObject>, changes: readonly Change[]): void {
  for (const { type, object } of changes) {
    const { uid } = object.metadata;
    if (type === 'changed') mirror.set(uid, object);
    else expect(mirror.delete(uid)).toBe(true);
  }
}
