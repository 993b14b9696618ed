import { expect, it } from 'vitest';
import { asResourceVersion, asUid } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { concluded, type Conclusion } from './conclude.ts';
import type { Parent } from './parent.ts';

const metadata = {
  name: 'w',
  namespace: 'team',
  uid: asUid('u'),
  resourceVersion: asResourceVersion('7'),
};
const parent: Parent = { apiVersion: 'example.dev/v1', kind: 'Wrapper', metadata, spec: {} };
const { DaemonJob: resource, Job } = resources;
const child: Operation = {
  kind: 'delete',
  resource: Job,
  target: { namespace: 'team', name: 'w-0' },
  uid: asUid('j'),
  propagation: 'Background',
};
const event: Operation = {
  kind: 'emitEvent',
  regarding: {
    apiVersion: parent.apiVersion,
    kind: parent.kind,
    namespace: 'team',
    name: 'w',
    uid: asUid('u'),
  },
  type: 'Normal',
  reason: 'Started',
  action: 'Start',
  note: 'started',
  occurrence: 'start',
};
const kindsOf = (conclusion: Partial<Conclusion>) =>
  decided(conclusion)
    .plan.flat()
    .map(({ kind }) => kind);

function decided(conclusion: Partial<Conclusion>) {
  return concluded(parent, resource, {
    children: [[child]],
    write: {},
    events: (isRecorded) => (isRecorded ? [event] : []),
    reasons: [],
    dueMs: [],
    isFollowedUp: () => true,
    nowMs: 5_000,
    ...conclusion,
  });
}

it('writes the children first, then the Events, and the status last', () => {
  expect(kindsOf({ write: { patch: { state: 'Running' } } })).toEqual([
    'delete',
    'emitEvent',
    'patchStatus',
  ]);
});

it('binds the status to the version that was decided on', () => {
  const [last] = decided({ write: { patch: { state: 'Running' } } }).plan.at(-1) ?? [];
  expect(last).toMatchObject({ uid: 'u', resourceVersion: '7', status: { state: 'Running' } });
});

it('without a status write no Event is emitted that only the status records', () => {
  expect(kindsOf({})).toEqual(['delete']);
});

it('looks again at once when the status that is written lets something be done', () => {
  expect(decided({ write: { patch: {} } }).requeueAtMs).toBe(5_000);
  expect(decided({ write: { patch: {} }, isFollowedUp: () => false }).requeueAtMs).toBeUndefined();
});

it('looks again when a difference is due that is held back', () => {
  expect(decided({ write: { dueMs: 6_000 }, dueMs: [undefined, 9_000] }).requeueAtMs).toBe(6_000);
});
