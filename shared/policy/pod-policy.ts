/** What becomes of each rule: who runs Millrace says so in one setting, and the rest is refused. */
import { didYouMean } from '#shared/api/fault.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { podRules, type PodRule, type PodRuleName, type Use } from './pod-rules.ts';

export const policyActions = ['deny', 'warn', 'allow'] as const;
export type PolicyAction = (typeof policyActions)[number];

/** By the name of a rule, or by `rule:value` for one value of it, which counts before the rule. */
export type PodPolicy = Readonly<Record<string, PolicyAction>>;

/** Nothing is said of any rule, so each refuses. */
export const defaultPolicy: PodPolicy = {};

/** A use of something that is not simply allowed. */
export interface Breach extends Use {
  readonly rule: PodRuleName;
  readonly action: Exclude<PolicyAction, 'allow'>;
}

/** `job` is the spec of a Job as it is to be created, with all that its owner adds to it. */
export function breachesOf(job: JsonObject, policy: PodPolicy): readonly Breach[] {
  return podRules.flatMap(({ name: rule, uses }: PodRule & { readonly name: PodRuleName }) =>
    uses(job).flatMap((use) => {
      const action = actionFor(policy, rule, use.value);
      return action === 'allow' ? [] : [{ ...use, rule, action }];
    }),
  );
}

/** Those that only somebody may use who may impersonate them. */
export function guardedServiceAccounts(job: JsonObject, policy: PodPolicy): readonly Breach[] {
  return breachesOf(job, policy).filter(({ rule }) => rule === 'serviceAccount');
}

function actionFor(policy: PodPolicy, rule: PodRuleName, value: string): PolicyAction {
  return ownMember(policy, `${rule}:${value}`) ?? policy[rule] ?? 'deny';
}

export type ParsedPolicy =
  { readonly policy: PodPolicy } | { readonly faults: readonly [string, ...string[]] };

/** `rule=action` and `rule:value=action`, comma-separated; every fault at once. */
export function parsePolicy(text: string): ParsedPolicy {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const faults: string[] = [];
  const policy = new Map<string, PolicyAction>();
  for (const entry of entries) {
    const fault = faultOf(entry, policy);
    if (fault === undefined) policy.set(keyOf(entry), actionOf(entry) as PolicyAction);
    else faults.push(fault);
  }
  const [first, ...rest] = faults;
  return first === undefined
    ? { policy: Object.fromEntries(policy) }
    : { faults: [first, ...rest] };
}

function faultOf(entry: string, known: ReadonlyMap<string, PolicyAction>): string | undefined {
  const action = actionOf(entry);
  if (action === undefined) return `"${entry}" is not of the form rule=action`;
  const rule = keyOf(entry).split(':', 1)[0] ?? '';
  const names = podRules.map(({ name }) => name as string);
  if (!names.includes(rule)) {
    const near = didYouMean(rule, names);
    return `"${rule}" is no rule${near === undefined ? '' : `; did you mean "${near}"?`}`;
  }
  if (!(policyActions as readonly string[]).includes(action)) {
    return `"${action}" is not one of ${policyActions.join(', ')}`;
  }
  return known.has(keyOf(entry)) ? `"${keyOf(entry)}" is there twice` : undefined;
}

/** A value may hold an equals sign: the last one counts. */
function keyOf(entry: string): string {
  return entry.slice(0, entry.lastIndexOf('=')).trim();
}

function actionOf(entry: string): string | undefined {
  const at = entry.lastIndexOf('=');
  return at <= 0 ? undefined : entry.slice(at + 1).trim();
}
