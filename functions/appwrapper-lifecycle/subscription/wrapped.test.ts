import { expect, it } from 'vitest';
import { labels } from '#shared/domain/labels.ts';
import { asResourceVersion, asUid, type JsonObject } from '#shared/domain/objects.ts';
import { wrapperLabels } from '#shared/domain/wrapper-keys.ts';
import { subscription } from '../subscription.ts';
import { keepOfComponent } from './wrapped.ts';

const conditions = [{ type: 'Complete', status: 'True' }];
const component = (apiVersion: string, kind: string, status: JsonObject) => ({
  ...{ apiVersion, kind, spec: { large: true }, status },
  metadata: {
    ...{ name: 'train', namespace: 'default' },
    ...{ uid: asUid('u'), resourceVersion: asResourceVersion('3') },
    labels: { [labels.ownerUid]: 'uid-of-wrapper', team: 'blue' },
    annotations: { note: 'long' },
  },
});
const metadata = {
  ...{ name: 'train', namespace: 'default', uid: 'u', resourceVersion: '3' },
  labels: { [labels.ownerUid]: 'uid-of-wrapper' },
};

it('a component that says how it ends is kept with whose it is and its end', () => {
  const job = component('batch/v1', 'Job', { conditions, active: 3 });
  const kept = { apiVersion: 'batch/v1', kind: 'Job', metadata, status: { conditions } };
  expect(keepOfComponent(job)).toEqual(kept);
});

it('a component of another kind is kept with whose it is alone', () => {
  const deployment = component('apps/v1', 'Deployment', { conditions });
  const kept = { apiVersion: 'apps/v1', kind: 'Deployment', metadata };
  expect(keepOfComponent(deployment)).toEqual(kept);
});

it('only labelled Pods are followed, and of each what counts is kept: whose it is and its phase', () => {
  const ofPods = subscription.watches.find(({ resource }) => resource.kind === 'Pod')!;
  expect(ofPods.only).toBe('children');
  const { metadata: own, spec } = component('v1', 'Pod', {});
  const wrapped = { ...own.labels, [wrapperLabels.wrapper]: 'aw' };
  const running = { phase: 'Running', podIP: '10.0.0.1', conditions };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...own, labels: wrapped }, spec };
  const { team: _, ...labelsKept } = wrapped;
  expect(ofPods.keep({ ...pod, status: running })).toMatchObject({
    metadata: { labels: labelsKept },
    status: { phase: 'Running' },
  });
  expect(ofPods.keep({ ...pod, status: running })).not.toHaveProperty('spec');
  expect(ofPods.keep({ ...pod, status: running }).status).toEqual({ phase: 'Running' });
});
