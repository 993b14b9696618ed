/** The smallest complete function: a JobFlow gets one Job, and then its status says so. */
import { rfc3339 } from '#shared/domain/time.ts';
import type { Decision } from '#shared/domain/decision.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { EventFunction } from '../function/event-function.ts';
import { flowSubscription } from './flow-subscription.ts';
import { resources } from '#shared/domain/resources.ts';

export interface OneJobSnapshot {
  readonly flow: KubeObject;
  readonly jobs: readonly KubeObject[];
  readonly rejections: readonly Rejection[];
}

export const oneJob: EventFunction<OneJobSnapshot> = {
  subscription: flowSubscription,
  observe: async (key, reader) => {
    const flow = await reader.get(resources.JobFlow, key);
    if (flow?.metadata.uid !== key.uid) return undefined;
    const jobs = await reader.listByOwner(resources.Job, {
      namespace: key.namespace,
      uid: key.uid,
    });
    return { flow, jobs, rejections: [] };
  },
  decide: ({ flow, jobs, rejections }, { nowMs }): Decision => {
    const phase = rejections[0]?.code ?? 'Running';
    if ((flow.status as JsonObject | undefined)?.['phase'] === phase) return requeueOf(flow);
    const create = jobs.length === 0 && rejections.length === 0 ? [createJob(flow)] : [];
    const status = patchStatus(flow, { phase, since: rfc3339(nowMs) });
    const reasons = [{ code: phase, message: `the flow is ${phase}` }];
    return { ...requeueOf(flow), plan: [create, [status]], reasons };
  },
  secondLook: { knowing: (snapshot, { rejections }) => ({ ...snapshot, rejections }) },
};

function requeueOf(flow: KubeObject): Decision {
  const requeueAtMs = (flow.spec as { readonly requeueAtMs?: number } | undefined)?.requeueAtMs;
  return { plan: [], reasons: [], ...(requeueAtMs === undefined ? {} : { requeueAtMs }) };
}

function createJob(flow: KubeObject): Operation {
  const { apiVersion, kind } = flow;
  const { name, namespace = '', uid } = flow.metadata;
  const owner = { apiVersion, kind, name, uid, controller: true };
  return {
    kind: 'create',
    resource: resources.Job,
    ownerUid: uid,
    object: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: `${name}-only`, namespace, ownerReferences: [owner] },
      spec: (flow.spec as { readonly job?: unknown } | undefined)?.job,
    },
  };
}

function patchStatus(flow: KubeObject, status: JsonObject): Operation {
  const { name, namespace = '', uid, resourceVersion } = flow.metadata;
  const target = { namespace, name };
  return { kind: 'patchStatus', resource: resources.JobFlow, target, uid, resourceVersion, status };
}
