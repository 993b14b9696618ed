import type { Operation, Plan } from '#shared/domain/plan.ts';

/**
 * What of a plan is carried out although some of its creates, by name, are refused beforehand: as much as if
 * the API server had refused them (A2 of apply-plan.ts), since one Job that may not be is not to keep others
 * from being created for ever.
 */
export function permittedPart(plan: Plan, refused: ReadonlySet<string>): Plan {
  const isRefused = (operation: Operation): boolean =>
    operation.kind === 'create' && refused.has(operation.object.metadata.name);
  const last = plan.findIndex((stage) => stage.some(isRefused));
  return plan.slice(0, last + 1).map((stage) => stage.filter((operation) => !isRefused(operation)));
}
