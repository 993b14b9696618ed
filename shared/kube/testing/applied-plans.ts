/** One Job of a flow, and a cluster in which plans about it are applied. */
import { asUid, type KubeObject, type NewObject, type Uid } from '#shared/domain/objects.ts';
import type { CreateOperation, Plan } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { createStoredCluster } from '#shared/runtime/testing/stored-cluster.ts';
import { applyPlan, type ApplyOutcome } from '../apply-plan.ts';
import type { KubeClient } from '../client.ts';

export const target = { namespace: 'default', name: 'etl-a' };
export const ours = asUid('uid-of-the-flow');
export const formerUid = asUid('uid-of-a-former-object');

export function ownedJob(owner: Uid): NewObject {
  const reference = { apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow', name: 'etl' };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...target, ownerReferences: [{ ...reference, uid: owner, controller: true }] },
    spec: { suspend: false },
  };
}

export function beingDeleted(object: NewObject): NewObject {
  const deletion = {
    deletionTimestamp: '2026-01-01T00:00:00Z',
    finalizers: ['foregroundDeletion'],
  };
  return { ...object, metadata: { ...object.metadata, ...deletion } };
}

export function messageOf(outcome: ApplyOutcome): string | undefined {
  return outcome.kind === 'rejected' ? outcome.rejections[0]?.message : undefined;
}

export const create: CreateOperation = {
  kind: 'create',
  resource: resources.Job,
  object: ownedJob(ours),
  ownerUid: ours,
};

export function world() {
  const cluster = createStoredCluster();
  const apply = (plan: Plan, client: KubeClient = cluster.client) =>
    applyPlan(plan, {
      client,
      fieldManager: 'millrace.dev/test',
      instance: 'test',
      clock: { now: () => 0 },
    });
  return { cluster, apply, job: (): KubeObject | undefined => cluster.objects('Job')[0] };
}
