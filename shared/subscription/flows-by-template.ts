import {
  apiVersionOf,
  type KubeObject,
  objectName,
  type ObjectKey,
  type Resource,
} from '#shared/domain/objects.ts';
import type { Index } from './subscription.ts';

/**
 * Of the flows in a template's namespace that name it in a step, those that depend on it still. Built when it is
 * first asked, so that a batch of events with many templates costs a single pass.
 */
export function flowsByTemplate(
  flows: Resource,
  dependsOnIt: (flow: KubeObject) => boolean,
): Index {
  return (seen) => {
    let index: ReadonlyMap<string, readonly ObjectKey[]> | undefined;
    return ({ namespace, name }) => {
      index ??= indexByTemplate(flows, [...seen.list(flows)].filter(dependsOnIt));
      return index.get(templateKey(namespace, name)) ?? [];
    };
  };
}

function indexByTemplate(
  resource: Resource,
  flows: readonly KubeObject[],
): ReadonlyMap<string, readonly ObjectKey[]> {
  const index = new Map<string, ObjectKey[]>();
  for (const flow of flows) {
    const key = flowKey(resource, flow);
    for (const name of new Set(templateNames(flow))) {
      const known = index.get(templateKey(key.namespace, name));
      if (known === undefined) index.set(templateKey(key.namespace, name), [key]);
      else known.push(key);
    }
  }
  return index;
}

function flowKey(resource: Resource, { metadata }: KubeObject): ObjectKey {
  const apiVersion = apiVersionOf(resource);
  return { apiVersion, kind: resource.kind, ...objectName(metadata), uid: metadata.uid };
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
