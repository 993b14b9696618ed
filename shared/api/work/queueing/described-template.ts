/**
 * The parts of a Pod template that a Workload needs: what Kueue and its admission checks read about placement and
 * size. Commands, variables and volumes stay with the object.
 */
import type { Container, PodTemplate } from '#shared/api/pod-template.ts';
import { isReservedKey } from '#shared/domain/labels.ts';
import { membersOf } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { kueuePrefix } from '#shared/domain/queue-labels.ts';

const ofPod: ReadonlySet<string> = new Set([
  'affinity',
  'nodeSelector',
  'overhead',
  'priorityClassName',
  'resourceClaims',
  'resources',
  'runtimeClassName',
  'schedulerName',
  'schedulingGates',
  'tolerations',
  'topologySpreadConstraints',
]);
const ofContainer: ReadonlySet<string> = new Set(['name', 'image', 'resources', 'restartPolicy']);

export function describedTemplate({ metadata, spec }: PodTemplate): JsonObject {
  const { labels = {}, annotations = {} } = metadata ?? {};
  const pod = membersOf(spec as Readonly<Record<string, Json>>, (name) => ofPod.has(name));
  return {
    metadata: {
      labels: membersOf(labels, (key) => !isReservedKey(key)),
      annotations: membersOf(annotations, (key) => key.startsWith(kueuePrefix)),
    },
    spec: {
      ...pod,
      restartPolicy: 'Never',
      ...(spec.initContainers === undefined
        ? {}
        : { initContainers: spec.initContainers.map(describedContainer) }),
      containers: spec.containers.map(describedContainer),
    },
  };
}

function describedContainer(container: Container): JsonObject {
  return membersOf(container as Readonly<Record<string, Json>>, (name) => ofContainer.has(name));
}
