/** The rule by which a Job handles Pods that fail because of disruptions. */
import type { JsonObject } from '#shared/domain/objects.ts';

/** An evicted, drained or preempted Pod is replaced and does not count as a failure. */
const ignoresDisruptions: JsonObject = {
  rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
};

/**
 * The template's policy, or the one above. With a policy the API server accepts only podReplacementPolicy
 * Failed (KEP-3939), so a template with another value gets none.
 */
export function failurePolicyOf(template: object): { readonly podFailurePolicy?: JsonObject } {
  const { podFailurePolicy, podReplacementPolicy }: FailureFields = template;
  if (podFailurePolicy !== undefined) return { podFailurePolicy: podFailurePolicy as JsonObject };
  const isAllowed = podReplacementPolicy === undefined || podReplacementPolicy === 'Failed';
  return isAllowed ? { podFailurePolicy: ignoresDisruptions } : {};
}

/** The API server validates them. */
interface FailureFields {
  readonly podFailurePolicy?: unknown;
  readonly podReplacementPolicy?: unknown;
}
