/** All of Millrace over a sandbox in this process. */
import { hostname } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { functions as everyFunction } from '#functions/list.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import type { Journal } from '#shared/journal/journal.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import { defaultTimes } from '#shared/kube/reflector-options.ts';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Deliver } from '#functions/dispatcher/deliver.ts';
import { apiReader } from '#shared/kube/api-reader.ts';
import { type ClientOf, composeMillrace, type Millrace, type MillraceParts } from '../compose.ts';
import type { EventDesk } from '../demo/event-desk.ts';
import { localDesk } from '../demo/local-desk.ts';
import { invocation, type Invoke } from './invocation.ts';
import { NextDeliveries } from './next-deliveries.ts';

export interface LocalParts {
  /** Default: all functions of Millrace. */
  readonly functions?: readonly EventFunction[];
  readonly clientOf: ClientOf;
  /** The caller closes queue and journal, after `stop`. */
  readonly queue: WorkQueue;
  readonly journal: Journal;
  readonly clock: WaitingClock;
  /** `clock` runs this many times faster than real time. */
  readonly speed: number;
  readonly random: Random;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly policy?: PodPolicy;
  readonly stateSink?: MillraceParts['stateSink'] & {};
  /** Whether Jobs are created without a recorded submitter (see compose.ts). */
  readonly trustNamespaces: boolean;
}

export interface LocalMillrace {
  readonly millrace: Millrace;
  readonly desk: EventDesk;
  readonly invoke: Invoke;
  /** Rejects with the fault that ended it. Resolves after `stop`. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Concurrent passes per function. In one thread, more of them only delay kubectl. */
const concurrency = 4;

export async function startLocalMillrace(parts: LocalParts): Promise<LocalMillrace> {
  const { functions = everyFunction, queue, clientOf } = parts;
  const deliveries = new NextDeliveries();
  const millrace = composeMillrace({
    ...parts,
    functions,
    ...machineryTimes(parts.speed),
    metrics: parts.registry,
    clusterUid: await clusterUid(parts.clientOf('bridge')),
    version: packageJson.version,
    instance: hostname(),
    concurrency,
    around: (deliver) => deliveries.listeningTo(inTurns(deliver)),
  });
  const stopping = new AbortController();
  const ended = millrace.run(stopping.signal);
  // The caller awaits it later. Until then a failure must not count as an unhandled rejection.
  ended.catch(() => undefined);
  const stop = async (): Promise<void> => {
    stopping.abort();
    // `ended` reports this error.
    await ended.catch(() => undefined);
  };
  const subscriptions = functions.map(({ subscription }) => subscription);
  const reader = apiReader(clientOf('bridge'));
  const invoke = invocation({ subscriptions, reader, queue, deliveries });
  return { millrace, desk: localDesk(parts), invoke, ended, stop };
}

/**
 * Queue, API and functions call each other within one thread. Without a pause, kubectl and timers would wait until
 * no work is left.
 */
function inTurns(deliver: Deliver): Deliver {
  return async (item, signal) => {
    await nextTurn();
    return deliver(item, signal);
  };
}

/** Times that detect a stuck machine are in real time, however fast the clock runs. */
function machineryTimes(speed: number) {
  const { watchSeconds, pageTimeoutMs, silenceMs, relistMs } = defaultTimes;
  return {
    noProgressMs: 45_000 * speed,
    drainMs: 5_000 * speed,
    times: {
      pageTimeoutMs: pageTimeoutMs * speed,
      silenceMs: silenceMs * speed,
      relistMs: relistMs * speed,
      watchSeconds: [watchSeconds[0] * speed, watchSeconds[1] * speed] as const,
      sweepMs: 30_000 * speed,
      epochMs: 1_000 * speed,
    },
  };
}
