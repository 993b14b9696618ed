import type { Decision } from '#shared/domain/decision.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { LifecycleSnapshot } from '../snapshot.ts';
import { isMissing } from './missing.ts';
import { goneCode } from './removal.ts';

const ofPods: ReadonlySet<string> = new Set([goneCode, 'InsufficientPodsReady']);

/**
 * What the decision would be wrong about if there were one that was not read: it gives quota back, or calls it a fault
 * that Pods or a component are missing. A view may also hold a component of the try before, which is being deleted.
 */
export function takenForAbsent(
  { components }: LifecycleSnapshot,
  { plan, reasons }: Decision,
): Resource | undefined {
  if (plan.length === 0) return undefined;
  if (reasons.some(({ code }) => code === 'MissingComponent')) {
    return components.find(isMissing)?.resource;
  }
  return reasons.some(({ code }) => ofPods.has(code)) ? resources.Pod : undefined;
}
