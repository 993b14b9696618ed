/** What kueue-workload-sync has to know of the configuration of Kueue, from the environment. */
import Type, { type Static } from 'typebox';

export interface QueueRules {
  /** Kueue's `waitForPodsReady`: it counts the time until Pods are ready, and may admit nothing until then. */
  readonly awaitsReadiness: boolean;
}

export const defaultRules: QueueRules = { awaitsReadiness: false };

export const queueSettings = Type.Object({
  kueueAwaitsReadiness: Type.Boolean({
    env: ['MILLRACE_KUEUE_WAIT_FOR_PODS_READY'],
    default: defaultRules.awaitsReadiness,
    description:
      "Whether Kueue's configuration has waitForPodsReady: that Pods are ready is then reported at once, not with the next report.",
  }),
});

export function rulesOf({ kueueAwaitsReadiness }: Static<typeof queueSettings>): QueueRules {
  return { awaitsReadiness: kueueAwaitsReadiness };
}
