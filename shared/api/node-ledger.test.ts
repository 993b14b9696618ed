import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import {
  ledgerStates,
  nodeKey,
  readLedger,
  storedLedger,
  type LedgerEntry,
} from './node-ledger.ts';

const entry = fc.record({ state: fc.constantFrom(...ledgerStates), attempt: fc.nat(3) });
const ledger = fc
  .array(fc.tuple(fc.uuid(), entry))
  .map((nodes) => new Map(nodes.map(([uid, each]) => [nodeKey(asUid(uid)), each])));

it('reads what it stored', () => {
  fc.assert(
    fc.property(ledger, (entries) => {
      expect(Object.fromEntries(readLedger(storedLedger(entries)))).toEqual(
        Object.fromEntries(entries),
      );
    }),
  );
});

it('stores the same bytes in whatever order the nodes come', () => {
  fc.assert(
    fc.property(ledger, (entries) => {
      const reversed = new Map([...entries].reverse());
      expect(JSON.stringify(storedLedger(reversed))).toBe(JSON.stringify(storedLedger(entries)));
    }),
  );
});

it('leaves out states that it does not know and what is cut off', () => {
  expect([...readLedger({ Paused: 'AAAAAAAA', Failed: 'BBBBBBBBCCC' })]).toEqual([
    ['BBBBBBBB', { state: 'Failed', attempt: 0 }],
  ]);
});

it('takes less than 64 kB for 5,000 nodes', () => {
  const nodes = Array.from({ length: 5_000 }, (_, index): [string, LedgerEntry] => [
    nodeKey(asUid(`uid-${index}`)),
    { state: index % 2 === 0 ? 'Succeeded' : 'Started', attempt: 0 },
  ]);
  expect(new Map(nodes).size).toBe(5_000);
  expect(JSON.stringify(storedLedger(new Map(nodes))).length).toBeLessThan(65_536);
});
