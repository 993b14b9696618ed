/** The real election code in one simulated bridge, observed from the outside. */
import { leaseLeadership } from '#functions/bridge/leadership.ts';
import { leaseName } from '#functions/bridge/watch-set.ts';
import type { Leadership } from '#functions/bridge/bridge.ts';
import type { WaitingClock } from '#shared/domain/clock.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import type { ElectionTimes } from '#shared/kube/election-options.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { Candidacy } from '../invariants/candidacy.ts';
import { namespace } from '../flow-objects.ts';
import type { Machine } from './machine.ts';
import { traceLogger } from './quiet-logger.ts';
import { observed } from './observed-call.ts';
import type { SimulationContext } from './simulation-context.ts';
import type { Life } from './timeline.ts';

/** In the same proportions as in production, at half the length. */
export const electionTimes: ElectionTimes = { leaseMs: 9_000, renewMs: 6_000, retryMs: 1_500 };

/** All candidacies of a world, including dead processes. */
export interface Election {
  readonly candidacies: Candidacy[];
  /** The lease in the API server. */
  readonly lease: () => KubeObject | undefined;
  readonly blame: (fault: string) => void;
}

export interface SimulatedElectionOptions {
  readonly context: SimulationContext;
  readonly election: Election;
  readonly life: Life;
  readonly machine: Machine;
  readonly client: KubeClient;
  /** The process machine's clock, the only one that the election needs. */
  readonly clock: WaitingClock;
  readonly random: SeededRandom;
}

type LeaseClient = Pick<KubeClient, 'get' | 'create' | 'patch'>;

export function simulatedElection(options: SimulatedElectionOptions): {
  readonly leadership: Leadership;
  readonly candidacy: Candidacy;
} {
  const { context, election, life, machine, client, clock, random } = options;
  const identity = `${life.name}_${String(random.integer(0, 0xffff_ffff))}`;
  const { timeline } = context;
  const { candidacies, blame } = election;
  const judged = { identity, life, machine, timeline, times: electionTimes, blame };
  const candidacy = new Candidacy(judged);
  candidacies.push(candidacy);
  const leadership = leaseLeadership({
    client: lookedOn(client, candidacy),
    lease: { namespace, name: leaseName },
    identity,
    clock,
    random: random.next,
    logger: traceLogger(context, life),
    times: electionTimes,
  });
  return {
    candidacy,
    leadership: {
      run: async (signal, onChange) => {
        candidacy.begins(signal);
        await leadership.run(signal, (leads) => {
          if (leads !== candidacy.acts) candidacy.leads(leads, candidacies);
          onChange(leads);
        });
        candidacy.ended(election.lease());
      },
    },
  };
}

function lookedOn(client: KubeClient, candidacy: Candidacy): LeaseClient {
  const written = (sent: Promise<KubeObject>): Promise<KubeObject> => {
    const attempt = candidacy.writes();
    return observed(
      sent,
      (lease) => candidacy.wrote(attempt, lease),
      (error) => candidacy.failed(attempt, error),
    );
  };
  return {
    get: (...args) => {
      const attempt = candidacy.asks();
      return observed(
        client.get(...args),
        (lease) => candidacy.reads(attempt, lease),
        (error) => candidacy.failed(attempt, error),
      );
    },
    create: (...args) => written(client.create(...args)),
    patch: (...args) =>
      isRelease(args[2])
        ? released(client.patch(...args), candidacy)
        : written(client.patch(...args)),
  };
}

function isRelease(patch: unknown): boolean {
  const { spec } = patch as { readonly spec?: JsonObject };
  return spec?.['holderIdentity'] === '';
}

function released(sent: Promise<KubeObject>, candidacy: Candidacy): Promise<KubeObject> {
  const attempt = candidacy.releases();
  return observed(
    sent,
    () => candidacy.released(attempt, undefined),
    (error) => candidacy.released(attempt, error),
  );
}
