/** Settings of an installation for AppWrappers, from the environment: the configuration of the original controller. */
import Type, { type Static } from 'typebox';
import { MillraceError } from '#shared/domain/errors.ts';
import { goDurationMs } from '#shared/domain/go-duration.ts';
import { defaultRules, type ResourceTaint, type WrapperRules } from './rules.ts';

const duration = (name: string, usual: string, description: string) =>
  Type.String({
    env: [`MILLRACE_APPWRAPPER_${name}`],
    default: usual,
    description: `${description} A duration as Go writes it: 10s, 1h30m.`,
  });

const flag = (name: string, usual: boolean, description: string) =>
  Type.Boolean({ env: [`MILLRACE_APPWRAPPER_${name}`], default: usual, description });

const { nodeHealth, faults: usualFaults } = defaultRules;

export const lifecycleSettings = Type.Object({
  admissionGrace: duration(
    'ADMISSION_GRACE',
    '1m',
    'How long the Pods of an AppWrapper may take to be created, unless it says so itself.',
  ),
  warmupGrace: duration('WARMUP_GRACE', '5m', 'How long its Pods may take to run.'),
  failureGrace: duration('FAILURE_GRACE', '1m', 'How long a failed Pod may go without another.'),
  retryPause: duration('RETRY_PAUSE', '90s', 'How long a reset AppWrapper waits.'),
  retryLimit: Type.Integer({
    env: ['MILLRACE_APPWRAPPER_RETRY_LIMIT'],
    minimum: 0,
    default: usualFaults.retryLimit,
    description: 'How often an AppWrapper is reset before it fails.',
  }),
  forcefulDeletionGrace: duration(
    'FORCEFUL_DELETION_GRACE',
    '10m',
    'How long resources may take to go before they are deleted by force.',
  ),
  successTtl: duration(
    'SUCCESS_TTL',
    '168h',
    'How long the resources of a successful AppWrapper stay, and the longest that it may ask for.',
  ),
  graceCeiling: duration(
    'GRACE_CEILING',
    '24h',
    'The longest grace or pause that an AppWrapper may ask for.',
  ),
  schedulerName: Type.String({
    env: ['MILLRACE_APPWRAPPER_SCHEDULER_NAME'],
    default: defaultRules.schedulerName,
    description: 'Scheduler of wrapped Pods whose template names none; empty: the default one.',
  }),
  injectAntiAffinities: flag(
    'INJECT_ANTI_AFFINITIES',
    nodeHealth.keepsAway,
    'Whether wrapped Pods that want a resource of MILLRACE_APPWRAPPER_RESOURCE_TAINTS are kept away from nodes where it is broken.',
  ),
  monitorNodes: flag(
    'MONITOR_NODES',
    nodeHealth.resets,
    'Whether AppWrappers are reset whose Pods run where such a resource is broken (NoExecute).',
  ),
  preferNoScheduleWeight: Type.Integer({
    env: ['MILLRACE_APPWRAPPER_PREFERENCE_WEIGHT'],
    minimum: 1,
    maximum: 100,
    default: nodeHealth.preferenceWeight,
    description: 'Weight of the preference against nodes that are suspicious (PreferNoSchedule).',
  }),
  resourceTaints: Type.String({
    env: ['MILLRACE_APPWRAPPER_RESOURCE_TAINTS'],
    default: nodeHealth.taints.map(textOf).join(', '),
    description:
      'Which labels of nodes say that a resource is broken there: RESOURCE KEY=VALUE:EFFECT, comma-separated; effects as those of taints.',
  }),
  strict: flag(
    'STRICT',
    defaultRules.isStrict,
    'Whether to be as impatient as the original controller: a Pod that is lost after the warmup resets the AppWrapper at once, and so does, after the grace, a failed Pod that its Job has replaced.',
  ),
  retriesPerAdmission: flag(
    'RETRIES_PER_ADMISSION',
    defaultRules.countsPerAdmission,
    'Whether an AppWrapper that was suspended may be reset MILLRACE_APPWRAPPER_RETRY_LIMIT times again.',
  ),
});

type LifecycleSettings = Static<typeof lifecycleSettings>;

function textOf({ resource, key, value, effect }: ResourceTaint): string {
  return `${resource} ${key}=${value}:${effect}`;
}

/** Throws MR_CONFIG_INVALID, which names every fault. */
export function rulesOf(settings: LifecycleSettings): WrapperRules {
  const faults: string[] = [];
  const ms = (name: string, text: string): number => {
    const found = goDurationMs(text);
    const isGood = found !== undefined && found >= 0;
    if (!isGood) faults.push(`${variable(name)}: ${JSON.stringify(text)} is no duration, as 1m30s`);
    return isGood ? found : 0;
  };
  const graceCeilingMs = ms('GRACE_CEILING', settings.graceCeiling);
  const grace = (name: string, text: string): number => {
    const found = ms(name, text);
    if (found > graceCeilingMs)
      faults.push(`${variable(name)}: exceeds ${variable('GRACE_CEILING')}`);
    return found;
  };
  const admissionGraceMs = grace('ADMISSION_GRACE', settings.admissionGrace);
  const warmupGraceMs = grace('WARMUP_GRACE', settings.warmupGrace);
  if (admissionGraceMs > warmupGraceMs) {
    faults.push(`${variable('ADMISSION_GRACE')}: exceeds ${variable('WARMUP_GRACE')}`);
  }
  const successTtlMs = ms('SUCCESS_TTL', settings.successTtl);
  if (successTtlMs === 0) faults.push(`${variable('SUCCESS_TTL')}: has to be longer than 0`);
  const rules: WrapperRules = {
    faults: {
      ...usualFaults,
      admissionGraceMs,
      warmupGraceMs,
      failureGraceMs: grace('FAILURE_GRACE', settings.failureGrace),
      retryPauseMs: grace('RETRY_PAUSE', settings.retryPause),
      retryLimit: settings.retryLimit,
      forcefulDeletionGraceMs: grace('FORCEFUL_DELETION_GRACE', settings.forcefulDeletionGrace),
      successTtlMs,
    },
    graceCeilingMs,
    schedulerName: settings.schedulerName,
    nodeHealth: {
      keepsAway: settings.injectAntiAffinities,
      resets: settings.monitorNodes,
      preferenceWeight: settings.preferNoScheduleWeight,
      taints: taintsOf(settings.resourceTaints, faults),
    },
    isStrict: settings.strict,
    countsPerAdmission: settings.retriesPerAdmission,
  };
  if (faults.length === 0) return rules;
  throw new MillraceError('MR_CONFIG_INVALID', { faults: [...new Set(faults)].join('; ') });
}

function variable(name: string): string {
  return `MILLRACE_APPWRAPPER_${name}`;
}

const taint =
  /^(?<resource>[^\s/]+\/[^\s/]+)\s+(?<key>[^\s=]+)=(?<value>[^\s:]*):(?<effect>PreferNoSchedule|NoSchedule|NoExecute)$/;

/** A resource without a slash is CPU, memory or the like. No label marks these as broken. */
function taintsOf(text: string, faults: string[]): readonly ResourceTaint[] {
  const entries = text.split(',').map((each) => each.trim());
  return entries.flatMap((entry) => {
    if (entry === '') return [];
    const groups = taint.exec(entry)?.groups as ResourceTaint | undefined;
    if (groups === undefined) {
      faults.push(
        `${variable('RESOURCE_TAINTS')}: ${JSON.stringify(entry)} is not RESOURCE KEY=VALUE:EFFECT, as ${textOf(exampleTaint)}`,
      );
      return [];
    }
    const { resource, key, value, effect } = groups;
    return [{ resource, key, value, effect }];
  });
}

const exampleTaint: ResourceTaint = {
  ...{ resource: 'nvidia.com/gpu', key: 'example.com/gpu-health' },
  ...{ value: 'EVICT', effect: 'NoExecute' },
};
