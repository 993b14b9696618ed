import { expect, it } from 'vitest';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { leaseRecord, newLease } from './lease-record.ts';

function stored(spec?: object): KubeObject {
  const metadata = { name: 'one', uid: asUid('u1'), resourceVersion: asResourceVersion('5') };
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata };
  return spec === undefined ? lease : { ...lease, spec };
}

it('reads the holder, how long it may stay silent, and how often the lease changed hands', () => {
  const spec = { holderIdentity: 'one', leaseDurationSeconds: 15, leaseTransitions: 3 };
  expect(leaseRecord(stored(spec))).toEqual({
    ...{ uid: 'u1', resourceVersion: '5' },
    ...{ holder: 'one', durationMs: 15_000, transitions: 3 },
  });
});

it.each([
  ['no spec', stored()],
  ['an empty spec', stored({})],
  ['nonsense', stored({ holderIdentity: 7, leaseDurationSeconds: '15', leaseTransitions: 'x' })],
])('a lease with %s counts as free', (_, lease) => {
  expect(leaseRecord(lease)).toMatchObject({ holder: '', durationMs: undefined, transitions: 0 });
});

it.each([
  [15_000, 15],
  [1_001, 2],
  [10, 1],
])('promises %i ms as %i s, never less than was meant and never none', (leaseMs, seconds) => {
  const name = { namespace: 'ns', name: 'one' };
  const { spec } = newLease(name, { identity: 'me', leaseMs, nowMs: 0 });
  expect(spec).toMatchObject({ leaseDurationSeconds: seconds, leaseTransitions: 0 });
});
