import {
  apiVersionOf,
  type KubeObject,
  objectName,
  type ObjectKey,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Index } from '#shared/subscription/subscription.ts';
import { hasEnded } from '#shared/parents/unfinished.ts';

/**
 * The unfinished flows of a template's namespace that name it in a step. Built when it is first asked,
 * so that a batch of events with many templates costs a single pass.
 */
export const flowsByTemplate: Index = (seen) => {
  let index: ReadonlyMap<string, readonly ObjectKey[]> | undefined;
  return ({ namespace, name }) => {
    index ??= indexByTemplate(seen.list(resources.JobFlow));
    return index.get(templateKey(namespace, name)) ?? [];
  };
};

function indexByTemplate(flows: Iterable<KubeObject>): ReadonlyMap<string, readonly ObjectKey[]> {
  const index = new Map<string, ObjectKey[]>();
  for (const flow of flows) {
    if (hasEnded(flow)) continue;
    const key = flowKey(flow);
    for (const name of new Set(templateNames(flow))) {
      const known = index.get(templateKey(key.namespace, name));
      if (known === undefined) index.set(templateKey(key.namespace, name), [key]);
      else known.push(key);
    }
  }
  return index;
}

function flowKey({ metadata }: KubeObject): ObjectKey {
  const { kind } = resources.JobFlow;
  const apiVersion = apiVersionOf(resources.JobFlow);
  return { apiVersion, kind, ...objectName(metadata), uid: metadata.uid };
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
