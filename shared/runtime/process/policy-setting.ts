import Type from 'typebox';
import { MillraceError } from '#shared/domain/errors.ts';
import { parsePolicy, type PodPolicy } from '#shared/policy/pod-policy.ts';

/** For processes that judge Pods; spread into their schemas. */
export const policySetting = {
  policy: Type.String({
    env: ['MILLRACE_POLICY'],
    default: '',
    description:
      'What is refused in templates: profile=privileged|baseline|restricted (default: baseline) and exceptions, rule=deny|warn|allow or rule:value=..., comma-separated; see policy.md.',
  }),
} as const;

/** Throws MR_CONFIG_INVALID with every fault. */
export function policyOf({ policy: text }: { readonly policy: string }): PodPolicy {
  const parsed = parsePolicy(text);
  if ('policy' in parsed) return parsed.policy;
  const faults = parsed.faults.map((fault) => `MILLRACE_POLICY: ${fault}`);
  throw new MillraceError('MR_CONFIG_INVALID', { faults: faults.join('; ') });
}
