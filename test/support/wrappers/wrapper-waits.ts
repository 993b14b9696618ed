/** Waits for states of an AppWrapper on a real cluster, and ends its Pods. */
import { expect, vi } from 'vitest';
import { conditionStatus } from '#shared/domain/conditions.ts';
import type { FlowWorld } from '../flow-world.ts';
import { statusOf } from './wrapper-manifests.ts';

/** Longer than any run takes on a busy machine. */
const patience = { timeout: 100_000, interval: 100 };

export function wrapperOf({ api, namespace }: FlowWorld, name: string) {
  return api.get('AppWrapper', { namespace, name });
}

export async function untilWrapperIs(world: FlowWorld, name: string, phase: string): Promise<void> {
  await vi.waitFor(async () => {
    const wrapper = await wrapperOf(world, name);
    expect(statusOf(wrapper).phase, JSON.stringify(wrapper?.status)).toBe(phase);
  }, patience);
}

/** It has ended, and nothing of it is left. */
export async function untilNothingIsLeftOf(world: FlowWorld, name: string): Promise<void> {
  await vi.waitFor(async () => {
    const wrapper = await wrapperOf(world, name);
    const deployed = conditionStatus(statusOf(wrapper).conditions, 'ResourcesDeployed');
    expect(deployed, JSON.stringify(wrapper?.status)).toBe('False');
  }, patience);
}

export async function untilWrapperIsGone(world: FlowWorld, name: string): Promise<void> {
  await vi.waitFor(async () => {
    const wrapper = await wrapperOf(world, name);
    expect(wrapper, JSON.stringify(wrapper?.status)).toBeUndefined();
  }, patience);
}

/** Ends a wrapped Pod as its container would. */
export async function endWrappedPod(
  world: FlowWorld,
  name: string,
  exitCode: number,
): Promise<void> {
  await vi.waitFor(async () => {
    const pod = await world.api.get('Pod', { namespace: world.namespace, name });
    expect((pod?.status as { readonly phase?: string } | undefined)?.phase).toBe('Running');
  }, patience);
  const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
  const containerStatuses = [
    {
      ...{ name: 'main', image: 'busybox:1.28', imageID: '', ready: false, restartCount: 0 },
      state: { terminated: { exitCode } },
    },
  ];
  await world.patch('Pod', name, { status: { phase, containerStatuses } }, 'status');
}
