/** The possible action of each rule. The operator chooses in one setting; the default is to deny. */
import { didYouMean } from '#shared/api/fault.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { includes, podProfiles, type PodProfile } from './pod-profile.ts';
import type { PodRule, Use } from './pod-rule.ts';
import { podRules, type PodRuleName } from './pod-rules.ts';

export const policyActions = ['deny', 'warn', 'allow'] as const;
export type PolicyAction = (typeof policyActions)[number];

export interface PodPolicy {
  /** The Pod Security level whose controls deny. The other rules hold under each profile. */
  readonly profile: PodProfile;
  /** Exceptional actions, by the name of a rule or by `rule:value`. The latter wins. */
  readonly exceptions: Readonly<Record<string, PolicyAction>>;
}

export const defaultPolicy: PodPolicy = { profile: 'baseline', exceptions: {} };

/** A use of something with an action other than allow. */
export interface Breach extends Use {
  readonly rule: PodRuleName;
  /** The profile, if it is the reason for the refusal. */
  readonly profile?: PodProfile;
  readonly action: Exclude<PolicyAction, 'allow'>;
}

/** `job` is the complete spec of a Job, with its owner's additions. */
export function breachesOf(job: JsonObject, policy: PodPolicy): readonly Breach[] {
  const { profile, exceptions } = policy;
  return podRules.flatMap(({ name: rule, since, uses }: NamedRule) => {
    const isOfProfile = since !== undefined && includes(profile, since);
    const byItself = since === undefined || isOfProfile ? 'deny' : 'allow';
    return uses(job, profile).flatMap((use) => {
      const action = actionFor(exceptions, rule, use.value) ?? byItself;
      if (action === 'allow') return [];
      return [{ ...use, rule, action, ...(isOfProfile ? { profile } : {}) }];
    });
  });
}

type NamedRule = PodRule & { readonly name: PodRuleName };

/** Why it is refused and by which rule, for people. */
export function breachWords({ path, message, rule, profile }: Omit<Breach, 'action'>): string {
  const by = profile === undefined ? '' : `, profile ${profile}`;
  return `${path}: ${message} (policy ${rule}${by})`;
}

/** Service accounts that only users with the right to impersonate them may use. */
export function guardedServiceAccounts(job: JsonObject, policy: PodPolicy): readonly Breach[] {
  return breachesOf(job, policy).filter(({ rule }) => rule === 'serviceAccount');
}

function actionFor(
  exceptions: PodPolicy['exceptions'],
  rule: PodRuleName,
  value: string,
): PolicyAction | undefined {
  return ownMember(exceptions, `${rule}:${value}`) ?? exceptions[rule];
}

export type ParsedPolicy =
  { readonly policy: PodPolicy } | { readonly faults: readonly [string, ...string[]] };

/** `profile=...`, `rule=action` and `rule:value=action`, separated by commas. Reports every fault at once. */
export function parsePolicy(text: string): ParsedPolicy {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const faults: string[] = [];
  const known = new Map<string, string>();
  for (const entry of entries) {
    const fault = faultOf(entry, known);
    if (fault === undefined) known.set(keyOf(entry), settingOf(entry) ?? '');
    else faults.push(fault);
  }
  const [first, ...rest] = faults;
  if (first !== undefined) return { faults: [first, ...rest] };
  const { [profileKey]: profile = defaultPolicy.profile, ...exceptions } =
    Object.fromEntries(known);
  return { policy: { profile, exceptions } as PodPolicy };
}

/** The entry that does not name a rule. */
const profileKey = 'profile';

function faultOf(entry: string, known: ReadonlyMap<string, string>): string | undefined {
  const setting = settingOf(entry);
  if (setting === undefined) return `"${entry}" is not of the form rule=action`;
  const key = keyOf(entry);
  const settings: readonly string[] = key === profileKey ? podProfiles : policyActions;
  const rule = key.split(':', 1)[0] ?? '';
  const names = [profileKey, ...podRules.map(({ name }) => name as string)];
  if (key !== profileKey && (rule === profileKey || !names.includes(rule))) {
    const near = didYouMean(rule, names);
    return `"${key}" is no rule${near === undefined ? '' : `; did you mean "${near}"?`}`;
  }
  if (!settings.includes(setting)) return `"${setting}" is not one of ${settings.join(', ')}`;
  return known.has(key) ? `"${key}" is there twice` : undefined;
}

/** A value may contain an equals sign, so the last one counts. */
function keyOf(entry: string): string {
  return entry.slice(0, entry.lastIndexOf('=')).trim();
}

function settingOf(entry: string): string | undefined {
  const at = entry.lastIndexOf('=');
  return at <= 0 ? undefined : entry.slice(at + 1).trim();
}
