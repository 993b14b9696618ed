/** What a Job does about Pods that fail through no fault of their own. */
import type { JsonObject } from '#shared/domain/objects.ts';

/** A Pod that was evicted, drained or preempted is replaced, and does not count as a failure. */
const ignoresDisruptions: JsonObject = {
  rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
};

/**
 * The policy of the template, or the one above. With one the API server takes no other podReplacementPolicy
 * than Failed (KEP-3939), so a template that wants another gets none.
 */
export function failurePolicyOf(template: object): { readonly podFailurePolicy?: JsonObject } {
  const { podFailurePolicy, podReplacementPolicy }: FailureFields = template;
  if (podFailurePolicy !== undefined) return { podFailurePolicy: podFailurePolicy as JsonObject };
  const isAllowed = podReplacementPolicy === undefined || podReplacementPolicy === 'Failed';
  return isAllowed ? { podFailurePolicy: ignoresDisruptions } : {};
}

/** The API server judges them. */
interface FailureFields {
  readonly podFailurePolicy?: unknown;
  readonly podReplacementPolicy?: unknown;
}
