import { labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Operation } from '#shared/domain/plan.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { ConfigMap, Roster } from './roster-kind.ts';
import { subscription } from './subscription.ts';

interface Snapshot {
  readonly roster: KubeObject;
  readonly map: KubeObject | undefined;
  readonly nodes: readonly string[];
}

export const rosterKeeper: EventFunction<Snapshot> = {
  subscription,
  observe: async (key, reader) => {
    const roster = await reader.get(Roster, key);
    if (roster?.metadata.uid !== key.uid) return undefined;
    const [map] = await reader.listByOwner(ConfigMap, key);
    const nodes = await reader.list(resources.Node);
    return { roster, map, nodes: nodes.map(({ metadata }) => metadata.name).sort() };
  },
  decide: ({ roster, map, nodes }) => {
    const data = { nodes: nodes.join(' ') };
    const written = (map as { readonly data?: unknown } | undefined)?.data;
    const keeps = JSON.stringify(written) === JSON.stringify(data) ? [] : [keep(roster, map, data)];
    const isReported =
      (roster.status as { readonly nodes?: number } | undefined)?.nodes === nodes.length;
    const plan = [keeps, isReported ? [] : [report(roster, nodes.length)]];
    return { plan: plan.filter((stage) => stage.length > 0), reasons: [] };
  },
};

function keep(
  { apiVersion, kind, metadata }: KubeObject,
  map: KubeObject | undefined,
  data: { readonly nodes: string },
): Operation {
  const { name, namespace = '', uid } = metadata;
  if (map !== undefined) {
    const target = { namespace, name: map.metadata.name };
    return { kind: 'patch', resource: ConfigMap, target, uid: map.metadata.uid, patch: { data } };
  }
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
  const own = {
    name: `${name}-nodes`,
    namespace,
    labels: { [labels.ownerUid]: uid },
    ownerReferences,
  };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: own, data };
  return { kind: 'create', resource: ConfigMap, object, ownerUid: uid };
}

function report({ metadata }: KubeObject, nodes: number): Operation {
  const { name, namespace = '', uid, resourceVersion } = metadata;
  const target = { namespace, name };
  return {
    kind: 'patchStatus',
    resource: Roster,
    target,
    uid,
    resourceVersion,
    status: { nodes },
  };
}
