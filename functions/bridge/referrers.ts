import { apiVersionOf, type KubeObject, type ObjectKey } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { FindReferrers } from '#shared/events/routes.ts';
import { isTerminal } from './unfinished.ts';

/**
 * Answers which unfinished JobFlows of a template's namespace name it in a step. The index is built
 * from `flows` when it is first asked, so a batch of events without templates costs nothing, and one
 * with many costs a single pass.
 */
export function indexReferrers(flows: () => Iterable<KubeObject>): FindReferrers {
  let index: ReadonlyMap<string, readonly ObjectKey[]> | undefined;
  return (event, referring) => {
    if (event.kind !== 'JobTemplate' || referring !== 'JobFlow') return [];
    index ??= flowsByTemplate(flows());
    return index.get(templateKey(event.namespace, event.name)) ?? [];
  };
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
