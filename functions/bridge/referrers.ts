import {
  apiVersionOf,
  controllerOf,
  type KubeObject,
  type ObjectKey,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { EventReference } from '#shared/events/event.ts';
import type { FindReferrers } from '#shared/events/routes.ts';
import type { View } from '#shared/kube/object-view.ts';
import { isTerminal } from './unfinished.ts';

/** Where the bridge looks for them. */
export interface KnownObjects {
  readonly flows: () => Iterable<KubeObject>;
  readonly jobs: Pick<View, 'get'>;
}

/**
 * Answers which unfinished JobFlows of a template's namespace name it in a step, and to which JobFlow
 * a Pod belongs. The index of templates is built when it is first asked, so a batch of events without
 * templates costs nothing, and one with many costs a single pass.
 */
export function indexReferrers({ flows, jobs }: KnownObjects): FindReferrers {
  let index: ReadonlyMap<string, readonly ObjectKey[]> | undefined;
  return (event, referring) => {
    if (referring !== 'JobFlow') return [];
    if (event.kind === 'Pod') return flowOfPod(event, jobs);
    if (event.kind !== 'JobTemplate') return [];
    index ??= flowsByTemplate(flows());
    return index.get(templateKey(event.namespace, event.name)) ?? [];
  };
}

/** By owners and their uids, never by labels, which anybody may set. */
function flowOfPod({ namespace, owner }: EventReference, jobs: Pick<View, 'get'>) {
  if (owner?.kind !== resources.Job.kind || owner.apiVersion !== apiVersionOf(resources.Job)) {
    return [];
  }
  const job = jobs.get(namespace, owner.name);
  const flow = job?.metadata.uid === owner.uid ? controllerOf(job.metadata) : undefined;
  const { kind } = resources.JobFlow;
  const apiVersion = apiVersionOf(resources.JobFlow);
  if (flow?.kind !== kind || flow.apiVersion !== apiVersion) return [];
  return [{ apiVersion, kind, namespace, name: flow.name, uid: flow.uid }];
}

function flowsByTemplate(flows: Iterable<KubeObject>): ReadonlyMap<string, readonly ObjectKey[]> {
  const index = new Map<string, ObjectKey[]>();
  for (const flow of flows) {
    if (isTerminal(flow)) continue;
    const key = flowKey(flow);
    for (const name of new Set(templateNames(flow))) {
      const known = index.get(templateKey(key.namespace, name));
      if (known === undefined) index.set(templateKey(key.namespace, name), [key]);
      else known.push(key);
    }
  }
  return index;
}

export function flowKey({ metadata }: KubeObject): ObjectKey {
  const { name, namespace = '', uid } = metadata;
  const { kind } = resources.JobFlow;
  return { apiVersion: apiVersionOf(resources.JobFlow), kind, namespace, name, uid };
}

/** As stored, which need not be valid: a flow is looked at also when it is wrong. */
function templateNames({ spec }: KubeObject): readonly string[] {
  const steps: unknown = (spec as { readonly flows?: unknown } | undefined)?.flows;
  if (!Array.isArray(steps)) return [];
  return steps.flatMap((step: { readonly jobTemplateRef?: unknown } | null) =>
    typeof step?.jobTemplateRef === 'string' ? [step.jobTemplateRef] : [],
  );
}

function templateKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
