/** The part of Kueue's configuration that kueue-workload-sync needs, from the environment. */
import Type, { type Static } from 'typebox';
import {
  defaultKueueSettings,
  frameworksOf,
  type KueueSettings,
  kueueSettings,
} from '#shared/kueue/kueue-settings.ts';

export interface QueueRules extends Pick<KueueSettings, 'frameworks' | 'managesUnlabelled'> {
  /** Kueue's `waitForPodsReady`: Kueue measures the time until Pods are ready, and may admit nothing until then. */
  readonly awaitsReadiness: boolean;
  /** Kueue's feature gate `TopologyAwareScheduling`. */
  readonly placesByTopology: boolean;
  /** Kueue's `objectRetentionPolicies.workloads.afterDeactivatedByKueue`, milliseconds. Absent: not set. */
  readonly keepsDeactivatedMs?: number;
}

export const defaultRules: QueueRules = {
  ...defaultKueueSettings,
  awaitsReadiness: false,
  placesByTopology: true,
};

export const queueSettings = Type.Object({
  kueueAwaitsReadiness: Type.Boolean({
    env: ['MILLRACE_KUEUE_WAIT_FOR_PODS_READY'],
    default: defaultRules.awaitsReadiness,
    description:
      "Whether Kueue's configuration has waitForPodsReady: that Pods are ready is then reported at once, not with the next report.",
  }),
  kueueFrameworks: kueueSettings.kueueFrameworks,
  kueuePlacesByTopology: Type.Boolean({
    env: ['MILLRACE_KUEUE_TOPOLOGY_AWARE_SCHEDULING'],
    default: defaultRules.placesByTopology,
    description:
      "Kueue's feature gate TopologyAwareScheduling. Without it no Workload asks for a topology.",
  }),
  kueueManagesUnlabelled: kueueSettings.kueueManagesUnlabelled,
  kueueKeepsDeactivatedSeconds: Type.Optional(
    Type.Integer({
      env: ['MILLRACE_KUEUE_AFTER_DEACTIVATED_BY_KUEUE_SECONDS'],
      minimum: 0,
      description:
        "Kueue's objectRetentionPolicies.workloads.afterDeactivatedByKueue in seconds: after so long what Kueue has deactivated is deleted. Without it, it stays.",
    }),
  ),
});

/** Throws MR_CONFIG_INVALID, which names every fault. */
export function rulesOf(settings: Static<typeof queueSettings>): QueueRules {
  const { kueueKeepsDeactivatedSeconds: kept } = settings;
  return {
    ...(kept === undefined ? {} : { keepsDeactivatedMs: kept * 1000 }),
    awaitsReadiness: settings.kueueAwaitsReadiness,
    frameworks: frameworksOf(settings.kueueFrameworks),
    managesUnlabelled: settings.kueueManagesUnlabelled,
    placesByTopology: settings.kueuePlacesByTopology,
  };
}
