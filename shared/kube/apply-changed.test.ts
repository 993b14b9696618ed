import { expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import type { Plan, Stage } from '#shared/domain/plan.ts';
import type { WrittenObject } from './apply-outcome.ts';
import { applyPlan } from './apply-plan.ts';
import { create, ours, ownedJob, world } from './testing/applied-plans.ts';

const named = (name: string): Stage => {
  const object = ownedJob(ours);
  return [{ ...create, object: { ...object, metadata: { ...object.metadata, name } } }];
};
const plan: Plan = [named('first'), named('second')];

function applying(isStillSo: (stage: number) => boolean | Promise<boolean>, stop?: AbortSignal) {
  const { cluster } = world();
  const asked: (readonly [Stage, readonly WrittenObject[]])[] = [];
  const outcome = applyPlan(plan, {
    ...{ client: cluster.client, fieldManager: 'millrace.dev/test', instance: 'test' },
    clock: { now: () => 0 },
    ...(stop === undefined ? {} : { signal: stop }),
    isStillSo: (stage, written) => isStillSo(asked.push([stage, [...written]])),
  });
  const created = () => cluster.objects('Job').map(({ metadata }) => metadata.name);
  return { outcome, asked, created };
}

it('asks before each stage, with what is in effect by then', async () => {
  const { outcome, asked, created } = applying(() => true);
  expect(await outcome).toMatchObject({ kind: 'applied' });
  expect(asked).toMatchObject([
    [plan[0], []],
    [plan[1], [{ done: 'create', name: 'first' }]],
  ]);
  expect(created()).toEqual(['first', 'second']);
});

it.each([false, Promise.resolve(false)])(
  'no stage begins once the decided objects have changed, and the outcome has what took effect: %s',
  async (answer) => {
    const { outcome, created } = applying((stage) => (stage === 1 ? true : answer));
    expect(await outcome).toMatchObject({
      kind: 'conflict',
      detail: 'the object changed in the middle of a plan',
      writes: [{ done: 'create', name: 'first' }],
    });
    expect(created()).toEqual(['first']);
  },
);

it('fails by what the question fails by', async () => {
  const error = new MillraceError('MR_API_UNREACHABLE', { verb: 'get', path: 'p', detail: 'no' });
  const { outcome, created } = applying((stage) => stage === 1 || Promise.reject(error));
  expect(await outcome).toMatchObject({ kind: 'failed', error, writes: [{ name: 'first' }] });
  expect(created()).toEqual(['first']);
});

it.each([
  ['says no', () => Promise.resolve(false)],
  ['fails', () => Promise.reject(new Error('no'))],
])('is called off, and in no conflict, where the question %s after that', async (_, answer) => {
  const stop = new AbortController();
  const { outcome, created } = applying((stage) => {
    if (stage === 1) return true;
    stop.abort();
    return answer();
  }, stop.signal);
  expect(await outcome).toMatchObject({ kind: 'aborted' });
  expect(created()).toEqual(['first']);
});

it('asks nothing once it is called off', async () => {
  const stop = new AbortController();
  stop.abort();
  const { outcome, asked } = applying(() => true, stop.signal);
  expect(await outcome).toMatchObject({ kind: 'aborted' });
  expect(asked).toEqual([]);
});
