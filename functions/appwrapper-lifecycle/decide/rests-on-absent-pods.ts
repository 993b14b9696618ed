import type { Decision } from '#shared/domain/decision.ts';
import { goneCode } from './removal.ts';

const codes: ReadonlySet<string> = new Set([goneCode, 'InsufficientPodsReady']);

/**
 * Whether the decision would be wrong if there were a Pod that was not read: it gives quota back, or calls it a fault
 * that Pods are missing.
 */
export function restsOnAbsentPods({ plan, reasons }: Decision): boolean {
  return plan.length > 0 && reasons.some(({ code }) => codes.has(code));
}
