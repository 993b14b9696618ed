/** Objects and reads for tests of queued work. */
import { expect, vi } from 'vitest';
import type { KubeObject } from '#shared/domain/objects.ts';
import { asWorkload, type Workload } from '#functions/kueue-workload-sync/workload.ts';
import type { Manifest } from '../flows/cluster-api.ts';
import type { FlowWorld } from '../flow-world.ts';

/** Suspended, and in this queue. */
export function queued<Each extends Manifest>(manifest: Each, queue = 'main'): Each {
  const { metadata, spec } = manifest as Manifest & { readonly spec?: object };
  const labels = { 'kueue.x-k8s.io/queue-name': queue };
  return { ...manifest, metadata: { ...metadata, labels }, spec: { ...spec, suspend: true } };
}

/** A container with this request. */
export function container(cpu: string) {
  return { name: 'main', image: 'busybox:1.28', resources: { requests: { cpu } } };
}

export async function workloadsIn(world: FlowWorld): Promise<readonly Workload[]> {
  const { items } = await world.api.list('Workload', world.namespace);
  return items.map((each: KubeObject) => asWorkload(each));
}

/** The Workload of the object with this name. */
export async function workloadOf(world: FlowWorld, name: string): Promise<Workload | undefined> {
  const all = await workloadsIn(world);
  return all.find(({ metadata }) => metadata.ownerReferences?.[0]?.name === name);
}

/** A second Workload of the same owner, for more Pods. */
export function surplusOf({ metadata, spec }: Workload): object {
  const { labels = {}, ownerReferences = [] } = metadata;
  const podSets = spec.podSets.map((podSet) => ({ ...podSet, count: podSet.count + 1 }));
  return {
    ...{ apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'Workload' },
    metadata: { name: 'surplus', labels, ownerReferences },
    spec: { ...spec, podSets },
  };
}

/** Waits until the object with this name has a Workload that passes, and returns it. */
export function untilWorkload(
  world: FlowWorld,
  name: string,
  check: (workload: Workload) => void = () => undefined,
): Promise<Workload> {
  return vi.waitFor(async () => {
    const found = await workloadOf(world, name);
    expect(found).toBeDefined();
    check(found!);
    return found!;
  });
}
