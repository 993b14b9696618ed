/**
 * The Roles are exactly what the processes use. Each process runs by itself under its ServiceAccount, as in a cluster,
 * and the audit log shows its requests.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { subscription as ofWrappers } from '#functions/appwrapper-lifecycle/subscription.ts';
import { subscription as ofQueues } from '#functions/kueue-workload-sync/subscription.ts';
import { usualKinds } from '#shared/api/wrapped/usual-kinds.ts';
import { urlVariable } from '#functions/dispatcher/configuration.ts';
import { processes } from '#functions/processes.ts';
import { managedResources } from '#shared/api/work/queued-kinds.ts';
import type { AccessRule } from '#shared/domain/access-rule.ts';
import { type ChildMain, startMain } from '#shared/runtime/testing/child-main.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import { registerFlowAdmission } from '#test/support/admission-webhooks.ts';
import { auditEntries, type AuditEntry } from '#test/support/audit-log.ts';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';
import { daemonJob } from '#test/support/daemons/daemon-manifest.ts';
import type { Manifest } from '#test/support/flows/cluster-api.ts';
import { flow, jobTemplate, step, untilEnded } from '#test/support/flow-world.ts';
import { type InstalledAccounts, installAccounts } from '#test/support/installed-accounts.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithCluster } from '#test/support/require.ts';
import { registerSuspendAdmission } from '#test/support/suspension/suspend-webhooks.ts';
import { batchJob, openDuring, suspendPolicy } from '#test/support/suspension/suspend-manifests.ts';

const namespace = 'role-use';
const hour = 3_600_000;
const everyNode = { nodeSelector: {} };
const withoutClass = { priorityClassName: 'no-such' };
const root = join(import.meta.dirname, '../..');
const started = processes.filter(({ part }) => part === 'worker' || part === 'function');

/** Rights that are declared but not used here, with the reason. */
const unseen: ReadonlyMap<string, string> = new Map([
  ...[
    'flow-advance update api.practice.com/jobflows',
    'daemon-fanout update api.practice.com/daemonjobs',
  ].map(
    (words) =>
      [`${words}/finalizers`, 'the API server asks whether it may, in no request'] as const,
  ),
  ...whereInstalled(ofQueues, 'where Kueue is installed'),
  ...whereInstalled(ofWrappers, 'where AppWrappers are'),
  ...usualKinds.flatMap(({ group, plural }) =>
    ['list', 'watch'].map(
      (verb) => [`bridge ${verb} ${group}/${plural}`, 'where such kinds are wrapped'] as const,
    ),
  ),
  ['suspend-admission watch kueue.x-k8s.io/localqueues', 'where Kueue is installed'],
  ['daemon-fanout get /nodes', 'when a node is gone, before its Job is given up'],
  ['daemon-fanout get batch/jobs', 'when a Job of the name is there already'],
  ...['batch/jobs', 'api.practice.com/jobflows', 'api.practice.com/daemonjobs'].map(
    (path) => [`suspend-schedule get ${path}`, 'when a write met another one'] as const,
  ),
  ...['get', 'patch'].map(
    (verb) =>
      [
        `suspend-schedule ${verb} workload.codeflare.dev/appwrappers`,
        'where AppWrappers are',
      ] as const,
  ),
  [
    'appwrapper-admission create authorization.k8s.io/subjectaccessreviews',
    'where AppWrappers are',
  ],
  ...['appwrapper-admission', 'flow-admission', 'suspend-admission'].map(
    (name) => [`${name} get /namespaces`, 'when reviews are recorded'] as const,
  ),
  ...managedResources.map(
    ({ group, plural }) =>
      [
        `suspend-admission get ${group}/${plural}`,
        'when what has an owner is put into a queue',
      ] as const,
  ),
  ...['localqueues', 'workloads'].flatMap((plural) =>
    [
      ...['list', 'watch'].map((verb) => `bridge ${verb}`),
      ...['get', 'list', 'patch'].map((verb) => `suspend-schedule ${verb}`),
    ].map((words) => [`${words} kueue.x-k8s.io/${plural}`, 'where Kueue is installed'] as const),
  ),
  [
    'suspend-admission create authorization.k8s.io/subjectaccessreviews',
    'when a user resumes what waits in a queue',
  ],
]);

describeWithCluster('the role of each process', (cluster) => {
  const { kubectl, auditLog } = cluster;
  const sinceMs = Date.now();
  let accounts: InstalledAccounts;
  let redis: Redis;
  const children: ChildMain[] = [];
  const closing: (() => Promise<unknown>)[] = [];

  const apply = (...objects: readonly Manifest[]): Promise<string> => {
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    const flags = ['apply', '--server-side', '--force-conflicts', '-n', namespace, '-f', '-'];
    return kubectlOrThrow(kubectl, flags, { input });
  };
  const wait = (what: string, on: string): Promise<string> =>
    kubectlOrThrow(kubectl, ['wait', '-n', namespace, `--for=${what}`, '--timeout=60s', on]);
  const requests = async (process: string): Promise<readonly AuditEntry[]> =>
    auditEntries(auditLog, { user: accounts.userOf(process), sinceMs });

  beforeAll(async () => {
    await kubectlOrThrow(kubectl, ['create', 'namespace', namespace]);
    accounts = await installAccounts(cluster, processes, namespace);
    redis = await startRedis();
    const registrations = [
      ['flow-admission', registerFlowAdmission],
      ['suspend-admission', registerSuspendAdmission],
    ] as const;
    for (const [name, register] of registrations) {
      const kubeconfig = accounts.kubeconfigOf(name);
      const admission = await register({ kubectl, kubeconfig, namespace });
      closing.push(() => admission.stop());
    }
    const urls: Record<string, string> = {};
    const functionsFirst = started.toSorted((left, right) => (left.part < right.part ? -1 : 1));
    for (const { name, part } of functionsFirst) {
      const child = startMain(join(root, `functions/${name}/main.ts`), {
        ...{ KUBECONFIG: accounts.kubeconfigOf(name), PORT: '0', REDIS_URL: redis.url },
        ...(name === 'bridge' ? { MILLRACE_NAMESPACE: namespace } : {}),
        ...(name === 'dispatcher' ? urls : {}),
      });
      children.push(child);
      const url = await child.url;
      if (part === 'function') urls[urlVariable(name)] = url;
    }
  });
  afterAll(async () => {
    // While a controller still removes the finalizers.
    const ours =
      'jobflows.api.practice.com,daemonjobs.api.practice.com,suspendpolicies.millrace.dev';
    await kubectlOrThrow(kubectl, ['delete', ours, '--all', '-n', namespace]);
    await kubectlOrThrow(kubectl, ['delete', 'clustersuspendpolicy', namespace]);
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(children.map(({ exit }) => exit));
    for (const close of closing) await close();
    await accounts.remove();
    await redis.stop();
    await kubectlOrThrow(kubectl, ['delete', 'namespace', namespace, '--wait=false']);
  });

  it('lets it do its work', async () => {
    await apply(jobTemplate('shared'));
    await apply(
      flow('runs', [step('a', { ref: 'shared' }), step('b', { after: ['a'] })]),
      flow('ends', [step('a')], { ttlSecondsAfterFinished: 1 }),
      flow('stops', [step('a', { exitCode: 1 }), step('b', { runFor: untilEnded })], {
        failurePolicy: 'CancelRunning',
      }),
      flow('waits', [step('a', { runFor: untilEnded })], {
        globalParams: { nodeName: 'minikube' },
      }),
      daemonJob('everywhere', 'none', { pod: everyNode }),
      daemonJob('ends', 'none', { pod: everyNode, ttlSecondsAfterFinished: 1 }),
      daemonJob('waits', 'none', { pod: everyNode, runFor: untilEnded }),
      daemonJob('stops', 'none', { pod: everyNode, runFor: untilEnded, activeDeadlineSeconds: 3 }),
      // Their Jobs get no Pods, and the Events of the Jobs say why.
      flow('poor', [step('a', { pod: withoutClass })]),
      daemonJob('poor', 'none', { pod: { ...everyNode, ...withoutClass } }),
    );
    await wait('condition=Complete', 'jobflow/runs');
    await wait('condition=Failed', 'jobflow/stops');
    await wait('condition=Complete', 'daemonjob/everywhere');
    await wait('delete', 'jobflow/ends');
    await wait('delete', 'daemonjob/ends');
    await wait('create', 'job/waits-a');
    await apply(
      flow('waits', [step('a', { runFor: untilEnded })], {
        globalParams: { nodeName: 'minikube' },
        suspend: true,
      }),
      daemonJob('waits', 'none', { pod: everyNode, runFor: untilEnded, suspend: true }),
    );
    await wait('condition=Suspended', 'job/waits-a');
    await wait('jsonpath={.status.reason}=FailedCreate', 'jobflow/poor');
    await wait('jsonpath={.status.nodes[0].reason}=FailedCreate', 'daemonjob/poor');
    const closed = openDuring([Date.now() + hour, Date.now() + 2 * hour]);
    const selected = (name: string) => ({ selector: { matchLabels: { held: name } } });
    // Before any policy exists, so that admission leaves them to suspend-schedule.
    await apply(
      ...['here', 'cluster'].flatMap((held) => [
        batchJob(`plain-${held}`, { labels: { held } }),
        labelled(flow(`flow-${held}`, [step('a', { runFor: untilEnded })]), held),
        labelled(daemonJob(`daemon-${held}`, 'none', { pod: everyNode, runFor: untilEnded }), held),
      ]),
    );
    await apply(
      suspendPolicy('closed', { ...selected('here'), schedule: closed }),
      clusterPolicy({
        ...selected('cluster'),
        schedule: closed,
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      }),
    );
    for (const held of ['here', 'cluster']) {
      await wait('condition=Suspended', `job/plain-${held}`);
      await wait('jsonpath={.spec.suspend}=true', `jobflow/flow-${held}`);
      await wait('jsonpath={.spec.suspend}=true', `daemonjob/daemon-${held}`);
    }
  });

  it('lacks nothing', async () => {
    for (const { name } of processes) {
      // Nothing can be created in a terminating namespace, so those of other suites are left out.
      const refused = (await requests(name)).filter(
        ({ code, requestUri }) => code === 403 && isOwn(requestUri),
      );
      expect(refused.map(({ verb, requestUri }) => `${name} ${verb} ${requestUri}`)).toEqual([]);
    }
  });

  it('holds nothing that it does not use', async () => {
    const unused: string[] = [];
    for (const { name, part, access } of processes) {
      if (part === 'keeper') continue;
      const used = new Set((await requests(name)).map((entry) => `${name} ${wordsOf(entry)}`));
      const declared = access.flatMap((rule) =>
        wordsOfRule(rule).map((words) => `${name} ${words}`),
      );
      unused.push(...declared.filter((words) => !used.has(words) && !unseen.has(words)));
    }
    expect([...new Set(unused)]).toEqual([]);
  });
});

/** All its rights except for reading the uid of the cluster, which every test covers. */
function whereInstalled(
  { name, access }: Subscription,
  why: string,
): readonly (readonly [string, string])[] {
  return access
    .filter(({ resource }) => resource.kind !== 'Namespace')
    .flatMap((rule) => wordsOfRule(rule).map((words) => [`${name} ${words}`, why] as const));
}

/** In the whole cluster, or in the namespace of this suite. */
function isOwn(requestUri: string): boolean {
  const [, of] = /\/namespaces\/([^/?]+)\//.exec(requestUri) ?? [];
  return of === undefined || of === namespace;
}

function wordsOf({ verb, apiGroup, resource, subresource }: AuditEntry): string {
  return `${verb} ${apiGroup}/${resource}${subresource === '' ? '' : `/${subresource}`}`;
}

function wordsOfRule({ resource, subresource, verbs }: AccessRule): readonly string[] {
  const path = `${resource.group}/${resource.plural}`;
  return verbs.map(
    (verb) => `${verb} ${subresource === undefined ? path : `${path}/${subresource}`}`,
  );
}

function clusterPolicy(spec: unknown): Manifest {
  const apiVersion = 'millrace.dev/v1alpha1';
  return { apiVersion, kind: 'ClusterSuspendPolicy', metadata: { name: namespace }, spec };
}

function labelled(manifest: Manifest, held: string): Manifest {
  return { ...manifest, metadata: { ...manifest.metadata, labels: { held } } };
}
