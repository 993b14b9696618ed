import type { Operation, Plan } from '#shared/domain/plan.ts';

/**
 * The part of a plan that is carried out when some of its creates, by name, are refused in advance. It is
 * the same part as after a refusal by the API server (apply-2). So one refused Job does not
 * block the others for ever.
 */
export function permittedPart(plan: Plan, refused: ReadonlySet<string>): Plan {
  const isRefused = (operation: Operation): boolean =>
    operation.kind === 'create' && refused.has(operation.object.metadata.name);
  const last = plan.findIndex((stage) => stage.some(isRefused));
  return plan.slice(0, last + 1).map((stage) => stage.filter((operation) => !isRefused(operation)));
}
