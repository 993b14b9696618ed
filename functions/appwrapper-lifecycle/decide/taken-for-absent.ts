import type { Decision } from '#shared/domain/decision.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { LifecycleSnapshot } from '../snapshot.ts';
import { isMissing } from './missing.ts';
import { goneCode } from './removal.ts';

/**
 * What the decision would be wrong about if there were one that was not read: it gives quota back, or calls it a fault
 * that Pods or a component are missing. A view may also hold a component of the try before, which is being deleted.
 */
export function takenForAbsent(
  { components }: LifecycleSnapshot,
  { plan, reasons }: Decision,
): readonly Resource[] {
  if (plan.length === 0) return [];
  const codes = new Set(reasons.map(({ code }) => code));
  const missing = components.filter(isMissing).flatMap(({ resource }) => resource ?? []);
  if (codes.has('MissingComponent')) return missing;
  if (codes.has(goneCode)) return [resources.Pod, ...missing];
  return codes.has('InsufficientPodsReady') ? [resources.Pod] : [];
}
