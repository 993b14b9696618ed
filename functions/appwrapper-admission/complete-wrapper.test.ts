import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { asLabel, completeWrapper } from './complete-wrapper.ts';
import { ann, creation, update } from './testing/reviews.ts';
import { pod, wrapper } from './testing/wrappers.ts';

const submitter = 'millrace.dev/submitter';
const queue = 'kueue.x-k8s.io/queue-name';
const user = 'workload.codeflare.dev/user';
const userId = 'workload.codeflare.dev/userid';

function metadataOf(review: ReturnType<typeof creation>, defaultQueue = '') {
  const decision = completeWrapper.decide(review, { facts: { defaultQueue }, nowMs: 0 });
  if (!decision.allowed) throw new Error(decision.message);
  return decision.object?.['metadata'];
}
const created = (metadata: JsonObject, defaultQueue?: string) =>
  metadataOf(creation(wrapper([pod()], metadata)), defaultQueue);

describe('a new AppWrapper', () => {
  it('waits in the default queue, unless it names another one', () => {
    expect(created({}, 'main')).toMatchObject({ labels: { [queue]: 'main' } });
    expect(created({ labels: { [queue]: 'own' } }, 'main')).toMatchObject({
      labels: { [queue]: 'own' },
    });
    expect(created({})).not.toHaveProperty(['labels', queue]);
  });

  it('names its creator, whatever its author writes', () => {
    const forged = {
      labels: { [user]: 'bad', [userId]: 'bad', a: 'b' },
      annotations: { [submitter]: 'bad' },
    };
    expect(created(forged)).toMatchObject({
      labels: { [user]: 'ann', [userId]: 'u-ann', a: 'b' },
      annotations: { [submitter]: '{"username":"ann","uid":"u-ann","groups":["team-a"]}' },
    });
  });

  it('of a creator without a UID has an empty label for it', () => {
    const { uid: _, ...unidentified } = ann;
    expect(metadataOf({ ...creation(wrapper([pod()])), user: unidentified })).toMatchObject({
      labels: { [user]: 'ann', [userId]: '' },
    });
  });
});

it.each([
  ['system:serviceaccount:a:b', 'system_serviceaccount_a_b'],
  ['ann@example.com', 'ann_example.com'],
  ['-ann-', 'ann'],
  ['', ''],
  ['a'.repeat(70), 'a'.repeat(63)],
  [`${'a'.repeat(62)}--`, 'a'.repeat(62)],
])('the user %j is the label %j', (name, label) => {
  expect(asLabel(name)).toBe(label);
});

describe('an AppWrapper that is replaced', () => {
  const stored = wrapper([pod()], { annotations: { [submitter]: 'ann' } });

  it('keeps its submitter where the client leaves it out', () => {
    expect(metadataOf(update(stored, wrapper([pod()])))).toMatchObject({
      annotations: { [submitter]: 'ann' },
    });
  });

  it.each([
    ['keeps its placement while it runs in a queue', { [queue]: 'main' }, false, [{}]],
    ['loses its placement when it is suspended', { [queue]: 'main' }, true, undefined],
    ['loses its placement in no queue', {}, false, undefined],
  ])('%s', (_, labels, suspend, podSetInfos) => {
    const placed = wrapper([{ ...pod(), podSetInfos: [{}] }], { labels });
    const { spec, ...rest } = wrapper([pod()], { labels });
    const replaced = { ...rest, spec: { ...(spec as JsonObject), suspend } };
    const decision = completeWrapper.decide(update(placed, replaced), {
      facts: { defaultQueue: '' },
      nowMs: 0,
    });
    const { components } = (decision as unknown as { object: { spec: { components: object[] } } })
      .object.spec;
    expect(components.map((each) => (each as JsonObject)['podSetInfos'])).toEqual([podSetInfos]);
  });

  it('is left to the check where the client writes another one', () => {
    const other = wrapper([pod()], { annotations: { [submitter]: 'bob' } });
    expect(metadataOf({ ...update(stored, other), user: ann })).toEqual(other['metadata']);
  });
});
