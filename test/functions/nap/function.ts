import { labels } from '#shared/domain/labels.ts';
import { apiVersionOf, type JsonObject, type KubeObject } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { jobFingerprint, specFingerprint } from '#shared/subscription/fingerprint.ts';
import { keepOfJob } from '#shared/subscription/keep.ts';
import { jobOf, Nap, napKind } from './nap-kind.ts';

const { Job } = resources;

interface Snapshot {
  readonly nap: KubeObject;
  readonly job: KubeObject | undefined;
}

export const napKeeper: EventFunction<Snapshot> = {
  subscription: {
    name: 'nap-keeper',
    decides: [Nap],
    kinds: [napKind],
    watches: [
      { resource: Nap, leadsTo: 'self', fingerprint: specFingerprint, keep: stripMetadata },
      {
        resource: Job,
        only: 'children',
        leadsTo: 'controller',
        fingerprint: jobFingerprint,
        keep: keepOfJob,
      },
    ],
    isUnfinished: ({ status }) => status === undefined,
    access: [
      { resource: Nap, verbs: ['get'] },
      { resource: Nap, subresource: 'status', verbs: ['patch'] },
      { resource: Job, verbs: ['get', 'list', 'create', 'patch'] },
    ],
  },
  observe: async (key, reader) => {
    const nap = await reader.get(Nap, key);
    if (nap?.metadata.uid !== key.uid) return undefined;
    const [job] = await reader.listByOwner(Job, key);
    return { nap, job };
  },
  decide: ({ nap, job }) => {
    const suspend = isHeld(nap);
    const write = job === undefined ? begin(nap, suspend) : follow(job, suspend);
    const active = job === undefined || suspend ? 0 : 1;
    const reported = (nap.status as { readonly active?: number } | undefined)?.active;
    const plan = [write, reported === active ? [] : [report(nap, active)]];
    return { plan: plan.filter((stage) => stage.length > 0), reasons: [] };
  },
};

function isHeld({ spec }: KubeObject): boolean {
  return (spec as { readonly suspend?: boolean }).suspend === true;
}

function begin(nap: KubeObject, isSuspended: boolean): readonly Operation[] {
  if (isSuspended) return [];
  const { name, namespace = '', uid } = nap.metadata;
  const controller = { apiVersion: apiVersionOf(Nap), kind: Nap.kind, name, uid, controller: true };
  const object = jobOf(nap as unknown as JsonObject, {
    name: `${name}-nap`,
    namespace,
    labels: { [labels.ownerUid]: uid },
    ownerReferences: [controller],
  });
  return [{ kind: 'create', resource: Job, object, ownerUid: uid }];
}

function follow(job: KubeObject, suspend: boolean): readonly Operation[] {
  if (isHeld(job) === suspend) return [];
  const { name, namespace = '', uid } = job.metadata;
  const target = { namespace, name };
  return [{ kind: 'patch', resource: Job, target, uid, patch: { spec: { suspend } } }];
}

function report({ metadata }: KubeObject, active: number): Operation {
  const { name, namespace = '', uid, resourceVersion } = metadata;
  const target = { namespace, name };
  const status = { state: 'Running', active };
  return { kind: 'patchStatus', resource: Nap, target, uid, resourceVersion, status };
}
