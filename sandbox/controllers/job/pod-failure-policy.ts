/** Applies the podFailurePolicy of a Job to a failed Pod (KEP-3329, pkg/controller/job/pod_failure_policy.go). */
import type { PodFailurePolicy, PodFailureRule } from '../objects/job.ts';
import type { ContainerStatus, Pod } from '../objects/pod.ts';

export interface FailureVerdict {
  /** Absent: no rule matches, and the failure counts. */
  readonly action?: PodFailureRule['action'];
  /** Whether the failure counts towards backoffLimit. */
  readonly counts: boolean;
  /** Present for FailJob: why the Job fails. */
  readonly message?: string;
}

/** The first rule that matches decides. */
export function judgeFailure(policy: PodFailurePolicy | undefined, pod: Pod): FailureVerdict {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const why = matched(rule, pod);
    if (why === undefined) continue;
    const { action } = rule;
    if (action === 'Ignore') return { action, counts: false };
    if (action !== 'FailJob') return { action, counts: true };
    return { action, counts: true, message: `${why} matching ${action} rule at index ${index}` };
  }
  return { counts: true };
}

function matched(rule: PodFailureRule, pod: Pod): string | undefined {
  const named = `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;
  if (rule.onExitCodes !== undefined) {
    const container = failedContainer(rule.onExitCodes, pod);
    return (
      container &&
      `Container ${container.name} for pod ${named} failed with exit code ${container.state.terminated?.exitCode ?? 0}`
    );
  }
  const condition = pod.status?.conditions?.find(({ type, status }) =>
    rule.onPodConditions?.some(
      (pattern) => pattern.type === type && (pattern.status ?? 'True') === status,
    ),
  );
  return condition && `Pod ${named} has condition ${condition.type}`;
}

function failedContainer(
  requirement: NonNullable<PodFailureRule['onExitCodes']>,
  { status }: Pod,
): ContainerStatus | undefined {
  const { containerName, operator, values } = requirement;
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return statuses.find(({ name, state: { terminated } }) => {
    if (terminated === undefined || terminated.exitCode === 0) return false;
    if (containerName !== undefined && containerName !== name) return false;
    return values.includes(terminated.exitCode) === (operator === 'In');
  });
}
