import { expect, it } from 'vitest';
import { keepOfJob, keepOfPod } from './keep.ts';
import { flow, job, ownedBy, pod } from '#shared/domain/testing/objects.ts';

it('keeps of a Job its metadata, its status and the fields of its spec that are read', () => {
  const object = job({
    metadata: { labels: { a: 'b' }, ...ownedBy(flow()) },
    spec: {
      suspend: false,
      completions: 1,
      parallelism: 1,
      backoffLimit: 0,
      ttlSecondsAfterFinished: 5,
      selector: { matchLabels: { a: 'b' } },
      template: { spec: { containers: [{ env: [{ name: 'x', value: 'secret' }] }] } },
    },
    status: { active: 1 },
  });
  const { template, selector, ...read } = object.spec as Record<string, unknown>;
  expect([template, selector]).not.toContain(undefined);
  expect(keepOfJob(object)).toEqual({ ...object, spec: read });
});

it('keeps of a healthy Pod its name, owner, own labels and phase', () => {
  const object = pod({
    metadata: {
      labels: { 'millrace.dev/owner-uid': 'u', app: 'x' },
      annotations: { a: 'b' },
      ...ownedBy(flow()),
    },
    spec: { containers: [] },
    status: { phase: 'Running', podIP: '10.0.0.1' },
  });
  const { name, namespace, uid, resourceVersion, ownerReferences } = object.metadata;
  expect(keepOfPod(object)).toStrictEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ name, namespace, uid, resourceVersion, ownerReferences },
      labels: { 'millrace.dev/owner-uid': 'u' },
    },
    status: { phase: 'Running' },
  });
});

it('of a Pod without any report its creation time and its scheduler or node are kept', () => {
  const creationTimestamp = '2026-11-21T10:00:00Z';
  const metadata = { creationTimestamp };
  const who = { nodeName: 'n', schedulerName: 's', resourceClaims: [{ name: 'g' }] };
  const spec = { ...who, containers: [{ name: 'main' }] };
  const silent = keepOfPod(pod({ metadata, spec, status: { phase: 'Pending' } }));
  expect(silent.spec).toEqual(who);
  expect(silent.metadata.creationTimestamp).toBe(creationTimestamp);
  expect(keepOfPod(silent)).toStrictEqual(silent);
  const isInit = { phase: 'Pending', startTime: creationTimestamp };
  const accepted = keepOfPod(pod({ metadata, spec, status: isInit }));
  expect(accepted).not.toHaveProperty('spec');
  expect(accepted.metadata).not.toHaveProperty('creationTimestamp');
});

it('keeps of a Pod that it is being deleted', () => {
  const deletionTimestamp = '2026-11-21T10:00:00Z';
  const object = pod({ metadata: { deletionTimestamp }, spec: {} });
  expect(keepOfPod(object).metadata.deletionTimestamp).toBe(deletionTimestamp);
});

it('keeps of a Pod without labels, owner and namespace no more than there is', () => {
  const { uid, resourceVersion } = pod().metadata;
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', uid, resourceVersion } };
  const kept = keepOfPod({ ...object, spec: {} });
  expect(kept.metadata).toStrictEqual({ ...object.metadata, labels: {} });
});

it('keeps of a Pod what keeps it from running, without environment and command', () => {
  const waiting = { reason: 'ErrImagePull', message: 'not found' };
  const container = { name: 'main', image: 'nope', state: { waiting } };
  const object = pod({
    spec: { containers: [{ name: 'main', env: [{ name: 'x', value: 'secret' }] }] },
    status: {
      phase: 'Pending',
      startTime: '2026-11-21T10:00:00Z',
      hostIP: '10.0.0.1',
      containerStatuses: [{ ...container, imageID: '', ready: false, restartCount: 0 }],
    },
  });
  expect(keepOfPod(object).status).toEqual({
    phase: 'Pending',
    startTime: '2026-11-21T10:00:00Z',
    containerStatuses: [container],
  });
});
