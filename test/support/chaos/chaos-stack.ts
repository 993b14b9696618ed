/** The common parts of crash tests: histories of the cluster, the product's clients, namespaces. */
import { randomBytes } from 'node:crypto';
import packageJson from '../../../package.json' with { type: 'json' };
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { WaitingClock } from '#shared/domain/clock.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import { HttpKubeClient, userAgentOf } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { createLogger, type LogLevel } from '#shared/runtime/process/telemetry.ts';
import { FlowWorld, type Histories } from '../flow-world.ts';
import type { JobObject, PodObject } from '../flows/batch-objects.ts';
import { ClusterApi } from '../flows/cluster-api.ts';
import { ObjectHistory } from '../flows/object-history.ts';
import type { ClusterHandle } from '../require.ts';
import type { FaultPlan } from '../faulty-client.ts';
import { startThrowawayMillrace, type ThrowawayMillrace } from './throwaway-millrace.ts';

export interface ChaosStack extends AsyncDisposable {
  /** A fresh namespace; `about` becomes part of its name. */
  world(about: string): Promise<FlowWorld>;
  /** A whole Millrace for this namespace alone, each part under its own token and role. */
  millrace(
    world: FlowWorld,
    plan?: FaultPlan,
    fn?: EventFunction,
    clock?: WaitingClock,
  ): ThrowawayMillrace;
  /** As admin. */
  readonly api: ClusterApi;
}

export async function openChaosStack(cluster: ClusterHandle): Promise<ChaosStack> {
  const stack = new AsyncDisposableStack();
  const { server, caFile, adminToken, kubectl, auditLog } = cluster;
  const api = new ClusterApi({ server, caFile, token: adminToken });
  stack.defer(() => api.close());
  const histories = await openHistories(api, stack);
  const open = async (user: string) => {
    const connection = await loadConnection({ kubeconfig: cluster.kubeconfigs[user] ?? '' });
    stack.defer(() => connection.close());
    return new HttpKubeClient({ connection, userAgent: userAgentOf(packageJson.version, user) });
  };
  const clients = new Map([
    ['bridge', await open('bridge')],
    ['flow-advance', await open('flow-advance')],
    ['daemon-fanout', await open('daemon-fanout')],
    ['suspend-schedule', await open('suspend-schedule')],
    ['appwrapper-lifecycle', await open('appwrapper-lifecycle')],
  ]);
  const uid = await clusterUid(clients.get('bridge')!);
  const logger = await createLogger({
    name: 'millrace',
    version: packageJson.version,
    level: (process.env['MILLRACE_TEST_LOG'] as LogLevel | undefined) ?? 'silent',
    format: 'json',
    destination: process.stderr,
  });
  const suffix = randomBytes(3).toString('hex');
  return {
    world: async (about) => {
      const name = `${about}-${suffix}`;
      await api.create('', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      return new FlowWorld(name, { api, kubectl, histories, auditLog });
    },
    api,
    millrace: ({ namespace }, plan, fn, clock) =>
      startThrowawayMillrace({
        clientOf: (component) => clients.get(component)!,
        clusterUid: uid,
        namespace,
        logger: logger.child({ namespace }),
        ...(plan === undefined ? {} : { plan }),
        ...(fn === undefined ? {} : { fn }),
        ...(clock === undefined ? {} : { clock }),
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function openHistories(api: ClusterApi, stack: AsyncDisposableStack): Promise<Histories> {
  const [flows, daemonJobs, jobs, pods] = await Promise.all([
    ObjectHistory.open<JobFlow & KubeObject>(api, 'JobFlow'),
    ObjectHistory.open<DaemonJob & KubeObject>(api, 'DaemonJob'),
    ObjectHistory.open<JobObject>(api, 'Job'),
    ObjectHistory.open<PodObject>(api, 'Pod'),
  ]);
  for (const history of [flows, daemonJobs, jobs, pods]) stack.defer(() => history.close());
  return { flows, daemonJobs, jobs, pods };
}
