/** Decides which Pods of a Job count as failed, and when they are replaced (KEP-3329, KEP-3939). */
import { invalid, notSupported, required } from '../../apimachinery/cause.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import type { JobSpec } from './job-spec.ts';

interface FailureRule {
  readonly action?: string;
  readonly onExitCodes?: { readonly operator?: string; readonly values?: readonly number[] };
  readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[];
}

interface FailurePolicy {
  readonly rules?: readonly FailureRule[];
}

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const replacements = ['Failed', 'TerminatingOrFailed'];

/** A condition without a status means True (SetDefaults_PodFailurePolicyOnPodConditionsPattern). */
export function withFailurePolicyDefaults(policy: object): object {
  const { rules = [], ...rest } = policy as FailurePolicy;
  const complete = (rule: FailureRule): FailureRule => ({
    ...rule,
    ...(rule.onPodConditions === undefined
      ? {}
      : { onPodConditions: rule.onPodConditions.map((one) => ({ status: 'True', ...one })) }),
  });
  return { ...rest, rules: rules.map(complete) };
}

export function failurePolicyFaults(spec: JobSpec): readonly StatusCause[] {
  const { rules = [] } = (spec.podFailurePolicy ?? {}) as FailurePolicy;
  const faults = rules.flatMap((rule, place) =>
    ruleFaults(rule, `spec.podFailurePolicy.rules[${place}]`),
  );
  const { podReplacementPolicy: replacement } = spec;
  if (replacement !== undefined && !replacements.includes(replacement)) {
    faults.push(notSupported('spec.podReplacementPolicy', replacement, replacements));
  }
  return faults;
}

function ruleFaults({ action = '', onExitCodes }: FailureRule, path: string): StatusCause[] {
  const faults: StatusCause[] = [];
  if (action === '') {
    const valid = actions.map((name) => JSON.stringify(name)).join(' ');
    faults.push(required(`${path}.action`, `valid values: [${valid}]`));
  } else if (!actions.includes(action)) {
    faults.push(notSupported(`${path}.action`, action, actions));
  }
  const { operator, values = [] } = onExitCodes ?? {};
  for (const [place, value] of values.entries()) {
    if (value !== 0 || operator !== 'In') continue;
    const detail = 'must not be 0 for the In operator';
    faults.push(invalid(`${path}.onExitCodes.values[${place}]`, value, detail));
  }
  return faults;
}
