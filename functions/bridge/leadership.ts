import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import type { ObjectName } from '#shared/domain/objects.ts';
import { untilAborted } from '#shared/domain/until-aborted.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { type ElectionTimes, runElected } from '#shared/kube/lease-elector.ts';
import type { Leadership } from './bridge.ts';

export interface LeaseOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  readonly lease: ObjectName;
  /** Unique among the bridges, even across restarts. */
  readonly identity: string;
  readonly clock: WaitingClock;
  readonly random: Random;
  readonly logger: { warn(fields: object, message: string): void };
  readonly times?: ElectionTimes;
}

/** Elects one of several bridges by a Lease. A stopped bridge releases it, so the next one takes over at once. */
export function leaseLeadership(options: LeaseOptions): Leadership {
  const { logger, ...election } = options;
  return {
    run: (signal, onChange) =>
      runElected({
        ...election,
        signal,
        onElected: async (term) => {
          onChange(true);
          await untilAborted(term);
          onChange(false);
        },
        // Called before the work has returned: from now on another bridge may publish.
        onLost: () => onChange(false),
        onFault: (error) => logger.warn({ err: error }, 'lease not reachable'),
      }),
  };
}
