/** The total requests of all Pods of a Job that run at once. */
import { fieldsOf, listOf } from '#shared/domain/json-value.ts';
import type { Json, JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { ownMember, setOwnMember } from '#shared/domain/own-member.ts';
import { parseQuantity } from '#shared/domain/quantity.ts';

type Requests = Readonly<Record<string, number>>;

export function requestsOf({ spec, status }: KubeObject): Requests {
  const { parallelism, completions, template } = fieldsOf(spec);
  const atOnce = typeof parallelism === 'number' ? parallelism : 1;
  const succeeded = fieldsOf(status)['succeeded'];
  const remaining =
    typeof completions === 'number'
      ? completions - (typeof succeeded === 'number' ? succeeded : 0)
      : atOnce;
  const pods = Math.max(0, Math.min(atOnce, remaining));
  const pod = podRequests(fieldsOf(fieldsOf(template)['spec']));
  return Object.fromEntries(Object.entries(pod).map(([name, amount]) => [name, amount * pods]));
}

/** All containers together or the largest init container, whichever is more (core/v1 PodSpec). */
function podRequests(pod: JsonObject): Requests {
  const initial = containersOf(pod['initContainers']);
  const sidecars = initial.filter(({ restartPolicy }) => restartPolicy === 'Always');
  const running = sumOf([...containersOf(pod['containers']), ...sidecars]);
  const largest: Record<string, number> = { ...running };
  for (const container of initial) {
    if (container['restartPolicy'] === 'Always') continue;
    for (const [name, amount] of Object.entries(containerRequests(container))) {
      setOwnMember(largest, name, Math.max(ownMember(largest, name) ?? 0, amount));
    }
  }
  return largest;
}

function sumOf(containers: readonly JsonObject[]): Requests {
  const sum: Record<string, number> = {};
  for (const container of containers) {
    for (const [name, amount] of Object.entries(containerRequests(container))) {
      setOwnMember(sum, name, (ownMember(sum, name) ?? 0) + amount);
    }
  }
  return sum;
}

function containerRequests(container: JsonObject): Requests {
  const { requests } = fieldsOf(container['resources']);
  return Object.fromEntries(
    Object.entries(fieldsOf(requests)).map(([name, amount]) => [
      name,
      parseQuantity(amount as string | number) ?? 0,
    ]),
  );
}

function containersOf(containers: Json | undefined): readonly JsonObject[] {
  return listOf(containers).map(fieldsOf);
}
