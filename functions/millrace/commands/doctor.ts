/** `millrace doctor`: what is wrong with Millrace in a cluster, and which commands correct it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '#shared/domain/errors.ts';
import { resources } from '#shared/domain/resources.ts';
import { ClusterClock } from '#shared/kube/cluster-clock.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { exitCodes } from '../command-failure.ts';
import { examineCluster } from '../doctor/cluster.ts';
import { type Examine, failure, type Patient, type Way } from '../doctor/examination.ts';
import { examineInstallation, installedAs } from '../doctor/installation.ts';
import { examineMachine } from '../doctor/machine.ts';
import { namedRedis } from '../doctor/named-redis.ts';
import { examineNeighbours } from '../doctor/neighbours.ts';
import { examineRedis } from '../doctor/redis.ts';
import { countOf, type GroupOfFindings, reportText } from '../doctor/report.ts';
import { examineRights } from '../doctor/rights.ts';
import { examineWebhooks } from '../doctor/webhooks.ts';
import { examineWork } from '../doctor/work.ts';
import { openCluster, type OpenedCluster } from '../open-cluster.ts';
import { jsonLine } from '../terminal/json-line.ts';
import { readQueue } from '../why/read-queue.ts';
import type { DoctorOptions } from './doctor-options.ts';

/** In the order of the report. A check is added by a line in the file of its group. */
const groups: readonly (readonly [group: string, Examine])[] = [
  ['cluster', examineCluster],
  ['installation', examineInstallation],
  ['webhooks', examineWebhooks],
  ['rights', examineRights],
  ['redis', examineRedis],
  ['work', examineWork],
  ['neighbours', examineNeighbours],
];

/** Returns the exit code: 0 if no check failed. Throws MR_KUBECONFIG_UNUSABLE. */
export async function doctor(options: DoctorOptions, say: (line: string) => void): Promise<number> {
  // A wrong clock is reported as a finding, so it is not logged.
  const clock = new ClusterClock({ own: systemClock, logger: { warn: () => undefined } });
  const hooks = { onServerTime: clock.hear.bind(clock) };
  await using cluster = await openCluster(options, 'doctor', hooks);
  const examined: GroupOfFindings[] = [
    { group: 'machine', findings: await examineMachine({ cluster }) },
  ];
  let isReached = true;
  try {
    const patient = await patientOf(cluster, options, clock);
    for (const [group, examine] of groups) {
      const findings = await examine(patient);
      if (findings.length > 0) examined.push({ group, findings });
    }
  } catch (error) {
    if (!hasCode(error, 'MR_API_UNREACHABLE')) throw error;
    isReached = false;
    const next = `${cluster.kubectl} get --raw /readyz`;
    const finding = failure('API server', (error as Error).message, next);
    examined.push({ group: 'cluster', findings: [finding] });
  }
  if (options.output === 'json') {
    for (const { group, findings } of examined) {
      for (const finding of findings) say(jsonLine({ group, ...finding }));
    }
  } else {
    for (const line of reportText(examined)) say(line);
  }
  if (!isReached) return exitCodes.unreachable;
  return countOf(examined, 'fail') === 0 ? 0 : exitCodes.findings;
}

async function patientOf(
  cluster: OpenedCluster,
  options: DoctorOptions,
  clock: ClusterClock,
): Promise<Patient> {
  const { namespace, redisInsecure: insecure = false } = options;
  const { client } = cluster;
  const chosen = cluster.control === undefined ? await installedAs(client, namespace) : undefined;
  const way: Way =
    cluster.control !== undefined
      ? 'up'
      : chosen !== undefined
        ? 'pods'
        : (await isServedFromOutside(cluster))
          ? 'run'
          : 'absent';
  const named =
    options.redis === undefined && way === 'pods' ? await namedRedis(client, namespace) : undefined;
  const url = options.redis ?? named?.url;
  return {
    ...{ cluster, client, way, namespace, sleep },
    ...(chosen === undefined ? {} : { chosen }),
    ...(url === undefined ? {} : { redis: { url, insecure } }),
    ...(named?.unreachable === undefined ? {} : { unreachableRedis: named.unreachable }),
    nowMs: () => clock.now(),
    aheadMs: () => clock.aheadMs,
    queue: () => readQueue(url === undefined ? options : { ...options, redis: url }, cluster),
  };
}

/** A `millrace run` registers webhooks with this label, unless it was started without webhooks. */
async function isServedFromOutside({ client }: OpenedCluster): Promise<boolean> {
  const labelSelector = 'app.kubernetes.io/managed-by=millrace';
  try {
    const { items } = await client.list(resources.MutatingWebhookConfiguration, { labelSelector });
    return items.length > 0;
  } catch (error) {
    if (hasCode(error, 'MR_API_FORBIDDEN')) return false;
    throw error;
  }
}
