import { expect, it } from 'vitest';
import { asResourceVersion, asUid } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Operation } from '#shared/domain/plan.ts';
import { cannotBeUndone } from './view-check.ts';

const target = { namespace: 'default', name: 'etl-a' };
const uid = asUid('uid-of-etl-a');
const resource = resources.Job;
const remove = { kind: 'delete', resource, target, uid, propagation: 'Background' } as const;
const patch = { kind: 'patch', resource, target, uid, patch: {} } as const;
const metadata = { name: 'etl-a', namespace: 'default' };
const object = { apiVersion: 'batch/v1', kind: 'Job', metadata };

it.each<[string, boolean, Operation]>([
  ['a create', true, { kind: 'create', resource, object, ownerUid: uid }],
  ['a delete', true, remove],
  ['a delete of one version', false, { ...remove, resourceVersion: asResourceVersion('5') }],
  ['a patch after which the object vanishes', true, { ...patch, removes: true }],
  ['any other patch', false, patch],
])('%s asks whether the view is behind: %s', (_, asks, operation) => {
  expect(cannotBeUndone([[patch], [operation]])).toBe(asks);
});
