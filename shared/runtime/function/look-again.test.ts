import { expect, it } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import type { WrittenObject } from '#shared/kube/apply-outcome.ts';
import { lookAgain } from './look-again.ts';

const uid = asUid('u-flow');
const target = { namespace: 'default', name: 'flow-a' };
const at = { resource: resources.JobFlow, target, uid };
const stop: Operation = { kind: 'patch', ...at, patch: { spec: { suspend: true } }, isFinal: true };
const note: Operation = { kind: 'patch', ...at, patch: { metadata: { annotations: { a: 'b' } } } };

function world(answer: (looks: number) => boolean | Promise<boolean> = () => true) {
  const looks: (string | undefined)[] = [];
  let nowMs = 0;
  const isStillSo = lookAgain({
    clock: { monotonicMs: () => nowMs },
    uid,
    look: async (own) => answer(looks.push(own)),
  });
  return { looks, isStillSo, wait: (ms: number) => void (nowMs += ms) };
}

it('asks nothing within a second of the look before', async () => {
  const { looks, isStillSo, wait } = world();
  wait(1_000);
  expect(await isStillSo([stop], [])).toBe(true);
  expect(looks).toEqual([]);
});

it('looks again after more than a second before what cannot be undone', async () => {
  const { looks, isStillSo, wait } = world(() => false);
  wait(1_001);
  expect(await isStillSo([stop], [])).toBe(false);
  expect(looks).toEqual([undefined]);
});

it('asks nothing before what a later pass sets right', async () => {
  const { looks, isStillSo, wait } = world();
  wait(60_000);
  expect(await isStillSo([note], [])).toBe(true);
  expect(looks).toEqual([]);
});

it('counts the next second from the end of the look, however long it took', async () => {
  const { looks, isStillSo, wait } = world((count) => {
    wait(5_000);
    return count === 1;
  });
  wait(1_001);
  expect(await isStillSo([stop], [])).toBe(true);
  wait(1_000);
  expect(await isStillSo([stop], [])).toBe(true);
  expect(looks).toHaveLength(1);
});

it('expects the version that its own last write gave the object', async () => {
  const { looks, isStillSo, wait } = world();
  const status = (of: string, resourceVersion: string): WrittenObject => ({
    ...{ done: 'patchStatus', resource: resources.JobFlow, ...target },
    ...{ uid: asUid(of), resourceVersion },
  });
  wait(1_001);
  await isStillSo([stop], [status(uid, '7'), status(uid, '8'), status('u-job', '9')]);
  expect(looks).toEqual(['8']);
});
