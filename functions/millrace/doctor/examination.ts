/** The checks of `doctor` and their results. */
import type { KubeClient } from '#shared/kube/client.ts';
import type { RedisPlace } from '../cluster-redis.ts';
import type { Chosen } from '../installation/chosen.ts';
import type { Check } from '../installation/cluster-checks.ts';
import type { OpenedCluster } from '../open-cluster.ts';
import type { FunctionQueue } from '../up/queue-report.ts';

/** `skip`: it could not be examined, and the detail says why. Only `fail` makes doctor exit with 9. */
export type Verdict = 'ok' | 'warn' | 'fail' | 'skip';

export interface Finding {
  readonly about: string;
  readonly verdict: Verdict;
  readonly detail: string;
  /** The command that corrects it, or comes closest. Every `warn` and `fail` has one. */
  readonly next?: string;
}

/** Millrace runs here as Pods of an installation, by `millrace run` outside, by `millrace up`, or not at all. */
export type Way = 'pods' | 'run' | 'up' | 'absent';

export interface Patient {
  readonly cluster: OpenedCluster;
  readonly client: Pick<KubeClient, 'get' | 'list' | 'create' | 'patch' | 'review'>;
  readonly way: Way;
  /** Namespace of the Pods. */
  readonly namespace: string;
  /** Absent: there are no Pods. */
  readonly chosen?: Chosen;
  readonly redis?: RedisPlace;
  /** Why the Redis that the installation names is not examined. */
  readonly unreachableRedis?: string;
  /** The time of the API server, milliseconds since the epoch. */
  readonly nowMs: () => number;
  /** Lead of this machine's clock over the API server's, milliseconds. */
  readonly aheadMs: () => number;
  /** Throws MR_QUEUE_UNAVAILABLE. Undefined: no queue is known. */
  readonly queue: () => Promise<readonly FunctionQueue[] | undefined>;
  readonly sleep: (ms: number) => Promise<unknown>;
}

export type Examine = (patient: Patient) => Promise<readonly Finding[]>;

export function ok(about: string, detail: string): Finding {
  return { about, verdict: 'ok', detail };
}

export function skipped(about: string, detail: string): Finding {
  return { about, verdict: 'skip', detail };
}

export function warning(about: string, detail: string, next: string): Finding {
  return { about, verdict: 'warn', detail, next };
}

export function failure(about: string, detail: string, next: string): Finding {
  return { about, verdict: 'fail', detail, next };
}

/** `otherwise`: what to do if the check names no command. */
export function findingOf(
  { about, isGood, detail, next = '' }: Check,
  otherwise: string,
  patient: Patient,
): Finding {
  if (isGood) return ok(about, detail);
  const words = next
    .replaceAll(/\bkubectl\b/g, () => patient.cluster.kubectl)
    .replace(/^millrace (.*)$/, (_, verb: string) => millrace(patient, verb));
  return failure(about, detail, words === '' ? otherwise : words);
}

/** A Millrace command for the same cluster. */
export function millrace({ cluster: { program, options } }: Patient, words: string): string {
  return [program, words, options].filter((text) => text !== '').join(' ');
}

/** A kubectl command for the same cluster, in the namespace of the Pods. */
export function kubectl({ cluster, namespace }: Patient, words: string): string {
  return `${cluster.kubectl} -n ${namespace} ${words}`;
}
