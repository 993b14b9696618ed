import { expect, it } from 'vitest';
import { annotations } from '#shared/domain/labels.ts';
import {
  asResourceVersion,
  asUid,
  type JsonObject,
  type KubeObject,
} from '#shared/domain/objects.ts';
import { jobFingerprint, podFingerprint, specFingerprint, wishFingerprint } from './fingerprint.ts';

function object(metadata: object = {}, status: JsonObject = {}): KubeObject {
  const identity = { uid: asUid('u'), resourceVersion: asResourceVersion('3') };
  const own = { ...{ name: 'etl', namespace: 'team-a', generation: 1 }, ...identity, ...metadata };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: own, spec: {}, status };
}

const owned = (uid: string) => ({
  ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: asUid(uid), controller: true }],
});
const holds = (type: string, status: string) => ({ conditions: [{ type, status }] });
const quiet = { labels: { a: 'b' }, resourceVersion: asResourceVersion('4') };

it.each<[string, boolean, KubeObject, KubeObject]>([
  ['another generation', true, object(), object({ generation: 2 })],
  ['its deletion', true, object(), object({ deletionTimestamp: 'now' })],
  ['the wish for a retry', true, object(), object({ annotations: { [annotations.retry]: '1' } })],
  [
    'another wish for a retry',
    true,
    object({ annotations: { [annotations.retry]: '1' } }),
    object({ annotations: { [annotations.retry]: '2' } }),
  ],
  ['a label', false, object(), object(quiet)],
  ['an annotation of others', false, object(), object({ annotations: { note: 'x' } })],
  ['its status', false, object(), object({}, { phase: 'Running' })],
  [
    'the order of its annotations',
    false,
    object({ annotations: { [annotations.retry]: '1', [annotations.submitter]: '2' } }),
    object({ annotations: { [annotations.submitter]: '2', [annotations.retry]: '1' } }),
  ],
])('of what is decided about %s matters: %s', (_, matters, before, after) => {
  expect(JSON.stringify(wishFingerprint(after)) !== JSON.stringify(wishFingerprint(before))).toBe(
    matters,
  );
});

it('of the fields that users write the generation and the deletion matter', () => {
  const before = specFingerprint(object());
  expect(specFingerprint(object({ ...quiet, annotations: { [annotations.retry]: '1' } }))).toEqual(
    before,
  );
  expect(specFingerprint(object({ generation: 2 }))).not.toEqual(before);
  expect(specFingerprint(object({ deletionTimestamp: 'now' }))).not.toEqual(before);
});

it.each<[string, boolean, KubeObject, KubeObject]>([
  ['another generation', true, object(), object({ generation: 2 })],
  ['another owner', true, object(owned('a')), object(owned('b'))],
  ['the loss of its owner', true, object(owned('a')), object()],
  ['its start', true, object(), object({}, { startTime: 'now' })],
  ['its first active Pod', true, object({}, { active: 0 }), object({}, { active: 1 })],
  ['one more active Pod', false, object({}, { active: 1 }), object({}, { active: 2 })],
  ['no Pod instead of no count', false, object(), object({}, { active: 0 })],
  ['its first ready Pod', true, object({}, { active: 1 }), object({}, { active: 1, ready: 1 })],
  ['one more ready Pod', false, object({}, { ready: 1 }), object({}, { ready: 2 })],
  ['its first Pod that goes', true, object(), object({}, { terminating: 1 })],
  ['a failed Pod', false, object({}, { failed: 1 }), object({}, { failed: 2 })],
  ['a new condition', true, object(), object({}, holds('Complete', 'True'))],
  [
    'another condition',
    true,
    object({}, holds('Failed', 'True')),
    object({}, holds('Complete', 'True')),
  ],
  [
    'what a condition says',
    true,
    object({}, holds('Suspended', 'True')),
    object({}, holds('Suspended', 'False')),
  ],
])('of a Job %s matters: %s', (_, matters, before, after) => {
  expect(JSON.stringify(jobFingerprint(after)) !== JSON.stringify(jobFingerprint(before))).toBe(
    matters,
  );
});

it('of a Pod matters what is wrong with it, and not that its containers are being created', () => {
  const waiting = (reason: string) =>
    object(
      {},
      {
        ...{ phase: 'Pending', startTime: '2026-01-05T08:00:00Z' },
        containerStatuses: [{ name: 'main', state: { waiting: { reason, message: 'words' } } }],
      },
    );
  expect(podFingerprint(object({}, { phase: 'Running' }))).toBeUndefined();
  const metadata = { creationTimestamp: '2026-11-21T10:00:00Z' };
  expect(podFingerprint(object(metadata, { phase: 'Pending' }))).toBeUndefined();
  expect(podFingerprint(waiting('ContainerCreating'))).toBeUndefined();
  const broken = podFingerprint(waiting('CreateContainerConfigError'));
  expect(broken).toEqual(['CreateContainerConfigError', expect.anything()]);
  expect(podFingerprint(waiting('ImagePullBackOff'))).not.toEqual(broken);
});
