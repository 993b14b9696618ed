import type { Decision } from '#shared/domain/decision.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { LifecycleSnapshot } from '../snapshot.ts';
import { isMissing } from './missing.ts';
import { goneCode } from './removal.ts';

const ofPods: ReadonlySet<string> = new Set([goneCode, 'InsufficientPodsReady']);

/**
 * The resource of which an unseen object would make the decision wrong: the decision returns quota, or calls missing
 * Pods or components a fault. A view may also show a component of the previous try under deletion.
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
