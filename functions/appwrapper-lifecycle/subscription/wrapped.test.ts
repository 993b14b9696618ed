import { expect, it } from 'vitest';
import { labels } from '#shared/domain/labels.ts';
import { asResourceVersion, asUid, type JsonObject } from '#shared/domain/objects.ts';
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
