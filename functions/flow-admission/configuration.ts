import Type from 'typebox';
import { MillraceError } from '#shared/domain/errors.ts';
import { parsePolicy, type PodPolicy } from '#shared/policy/pod-policy.ts';
import { admissionSettings } from '#shared/runtime/admission/admission-settings.ts';

export const flowAdmissionConfiguration = Type.Object({
  ...admissionSettings,
  policy: Type.String({
    env: ['MILLRACE_POLICY'],
    default: '',
    description:
      'Exceptions from what is refused in templates: rule=deny|warn|allow or rule:value=..., comma-separated; see policy.md.',
  }),
});

/** Throws MR_CONFIG_INVALID that names every fault. */
export function policyOf({ policy: text }: { readonly policy: string }): PodPolicy {
  const parsed = parsePolicy(text);
  if ('policy' in parsed) return parsed.policy;
  const faults = parsed.faults.map((fault) => `MILLRACE_POLICY: ${fault}`);
  throw new MillraceError('MR_CONFIG_INVALID', { faults: faults.join('; ') });
}
