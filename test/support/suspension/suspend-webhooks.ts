/** suspend-admission in this process, registered for one namespace of a cluster. */
import { suspendAdmissions } from '#functions/suspend-admission/testing/admissions.ts';
import type { KueueSettings } from '#shared/kueue/kueue-settings.ts';
import { PolicyBook } from '#functions/suspend-admission/policy-book.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import {
  registerAdmissions,
  type RegisteredAdmissions,
  type RegistrationOptions,
} from '../admission-webhooks.ts';
import { openClient } from '../cluster-client.ts';
import type { Kubectl } from '../control-plane/kubectl.ts';
import { batchJob } from './suspend-manifests.ts';

export interface RegisteredSuspendAdmission extends RegisteredAdmissions {
  readonly policies: PolicyBook;
}

export interface SuspendRegistrationOptions extends RegistrationOptions {
  readonly kueue?: KueueSettings;
}

/** Returns when all three webhooks are in effect. */
export async function registerSuspendAdmission({
  kueue,
  ...options
}: SuspendRegistrationOptions): Promise<RegisteredSuspendAdmission> {
  const own = await openClient(options.kubeconfig, 'suspend-admission');
  const policies = new PolicyBook();
  const ended = new AbortController();
  const failures: unknown[] = [];
  const { client } = own;
  const followed = policies.follow(
    {
      ...{ client, clock: systemClock, random: Math.random },
      onFailure: (error) => failures.push(error),
    },
    ended.signal,
  );
  const registered = await registerAdmissions(options, {
    name: 'suspend-admission',
    admissions: suspendAdmissions({
      ...{ policies, clock: systemClock },
      ...(kueue === undefined ? {} : { kueue }),
    }),
    reviewed: () => reviewed(options, kueue?.managesUnlabelled === true, failures),
  });
  const stop = async (): Promise<void> => {
    await registered.stop();
    ended.abort();
    await followed;
    await own[Symbol.asyncDispose]();
  };
  return { ...registered, policies, stop };
}

const mark = { 'millrace.dev/suspended-by': 'forged/0' };
const queue = { 'kueue.x-k8s.io/queue-name': 'q' };
const flow = {
  apiVersion: 'api.practice.com/v1alpha1',
  kind: 'JobFlow',
  metadata: { name: 'probe', labels: { 'kueue.x-k8s.io/queue-name': 'no_queue' } },
  spec: { flows: [{ name: 'a', jobTemplateRef: 'none' }] },
};

/** An unknown user may create nothing, which says nothing about webhooks. */
const asUser = ['--as', 'somebody', '--as-group', 'probes'];

/** Requests that each of the three reviews: a label, an invalid queue name, a forged mark. */
async function reviewed(
  { kubectl, namespace }: Pick<SuspendRegistrationOptions, 'kubectl' | 'namespace'>,
  suspendsAll: boolean,
  failures: readonly unknown[],
): Promise<void> {
  await mayProbe(kubectl, namespace);
  const create = (manifest: object, args: readonly string[] = []) =>
    kubectl(['-n', namespace, 'create', '--dry-run=server', '-o', 'yaml', '-f', '-', ...args], {
      input: JSON.stringify(manifest),
    });
  const answers = await Promise.all([
    create(batchJob('probe', { labels: queue })),
    create(flow),
    create(batchJob('probe', { annotations: mark }), asUser),
  ]);
  // A mark on an object that is suspended anyway has no meaning.
  const ofMark = suspendsAll ? 'suspend: true' : 'only suspend policies write this';
  const expected = ['suspend: true', 'a lowercase RFC 1123', ofMark];
  const said = answers.map(({ stdout, stderr }) => stdout + stderr);
  const missing = expected.filter((words, index) => said[index]?.includes(words) !== true);
  if (missing.length === 0) return;
  throw new Error(
    `not reviewed yet: ${missing.join('; ')} ${said.join('\n')} ${String(failures[0])}`,
  );
}

async function mayProbe(kubectl: Kubectl, namespace: string): Promise<void> {
  const role = [
    '-n',
    namespace,
    'create',
    'role',
    'probes',
    '--verb=create',
    '--resource=jobs.batch',
  ];
  await kubectl(role);
  await kubectl([
    '-n',
    namespace,
    'create',
    'rolebinding',
    'probes',
    '--role=probes',
    '--group=probes',
  ]);
}
