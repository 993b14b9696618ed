/**
 * Measures what suspend-admission adds to the creation of a Job: latency, and CPU of the API server and of the
 * admission. Blocks of creations alternate between a namespace with its webhooks and one without. All are on one
 * real API server in one run: compare the rows with each other.
 */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { suspendAdmissions } from '#functions/suspend-admission/testing/admissions.ts';
import { PolicyBook } from '#functions/suspend-admission/policy-book.ts';
import { webhookConfigurations } from '#shared/admission/webhook-configuration.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { HttpKubeClient } from '#shared/kube/http-client.ts';
import { newReviewToken } from '#shared/runtime/admission/review-token.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { certificateFolder, newPair } from '#shared/runtime/testing/certificate-folder.ts';
import { startMain } from '#shared/runtime/testing/child-main.ts';
import { type Cluster, startCluster } from '../support/cluster-parts.ts';
import { kubectlOrThrow } from '../support/control-plane/kubectl.ts';
import { batchJob, suspendPolicy } from '../support/suspension/suspend-manifests.ts';
import type { JobObject } from '../support/flows/batch-objects.ts';
import type { Manifest } from '../support/flows/cluster-api.ts';
import { percentile } from './percentile.ts';
import { cpuMs } from './process-usage.ts';
import { clientOf } from './site.ts';

const { values: flags } = parseArgs({
  options: {
    blocks: { type: 'string', default: '10' },
    jobs: { type: 'string', default: '50' },
    policies: { type: 'string', default: '100' },
  },
});
const [blocks, perBlock, policyCount] = [flags.blocks, flags.jobs, flags.policies].map(Number) as [
  number,
  number,
  number,
];
const say = (line: string) => process.stdout.write(`${line}\n`);
const root = join(import.meta.dirname, '../..');
const asked = 'bench-asked';
const unasked = 'bench-unasked';
/** Two at a time. Pipelines that submit Jobs create them in this way, and each waits for the other's answer. */
const atOnce = 2;

function within(namespace: string, { metadata, ...manifest }: Manifest): NewObject {
  return { ...manifest, metadata: { ...metadata, namespace } };
}

class Cost {
  readonly latencies: number[] = [];
  serverMs = 0;
  admissionMs = 0;
}

interface Place {
  readonly cluster: Cluster;
  readonly client: HttpKubeClient;
  readonly admissionPid: number;
}

async function createBlock(
  { cluster, client, admissionPid }: Place,
  namespace: string,
  name: string,
  cost: Cost,
): Promise<void> {
  const server = cluster.pidOf('kube-apiserver')!;
  const before = [cpuMs(server), cpuMs(admissionPid)] as const;
  const left = Array.from({ length: perBlock }, (_, index) => `${name}-${index}`);
  const create = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const job = within(namespace, batchJob(next));
      const sentMs = performance.now();
      await client.create(resources.Job, job);
      cost.latencies.push(performance.now() - sentMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, create));
  cost.serverMs += cpuMs(server) - before[0];
  cost.admissionMs += cpuMs(admissionPid) - before[1];
}

/** Blocks of both alternate, so that other load affects both alike. */
async function compare(place: Place, title: string): Promise<void> {
  const [without, with_] = [new Cost(), new Cost()];
  const slug = title.replaceAll(/\W+/g, '-');
  for (let block = 0; block <= blocks; block += 1) {
    // The first block is the warm-up.
    const [a, b] = block === 0 ? [new Cost(), new Cost()] : [without, with_];
    await createBlock(place, unasked, `${slug}-${block}`, a);
    await createBlock(place, asked, `${slug}-${block}`, b);
  }
  row(`${title}: not asked`, without);
  row(`${title}: asked`, with_);
  const ratio = (of: (cost: Cost) => number) => (of(with_) / of(without)).toFixed(2);
  const p50 = ({ latencies }: Cost) => percentile(latencies, 0.5);
  say(`  ratios: p50 ${ratio(p50)}, API server ${ratio(({ serverMs }) => serverMs)}`);
}

function row(name: string, { latencies, serverMs, admissionMs }: Cost): void {
  const each = (ms: number) => `${(ms / latencies.length).toFixed(2)} ms`;
  const at = (share: number) => `${percentile(latencies, share).toFixed(1)} ms`;
  say(
    `${name.padEnd(32)} p50 ${at(0.5)}  p99 ${at(0.99)}  API server ${each(serverMs)}  admission ${each(admissionMs)}`,
  );
}

async function register({ kubectl }: Cluster, url: string, ca: string): Promise<void> {
  const caBundle = Buffer.from(ca).toString('base64');
  const admissions = suspendAdmissions({ policies: new PolicyBook(), clock: systemClock });
  const items = webhookConfigurations(admissions, {
    metadata: { name: 'bench-suspend-admission' },
    clientConfigOf: ({ name }) => ({ url: `${url}/${name}`, caBundle }),
    namespace: asked,
  });
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await kubectlOrThrow(kubectl, ['apply', '--server-side', '-f', '-'], { input });
}

/** Waits until objects created there are suspended, or no longer are. `holds`: for a closed policy. */
async function untilHeld({ client }: Place, holds: boolean): Promise<void> {
  for (let probe = 0; ; probe += 1) {
    const job = within(asked, batchJob(`probe-${holds}-${probe}`));
    const created = await client.create(resources.Job, job);
    if ((created as unknown as JobObject).spec.suspend === holds) return;
    await sleep(100);
  }
}

async function applyPolicies(client: HttpKubeClient): Promise<void> {
  for (let index = 0; index < policyCount; index += 1) {
    const policy = suspendPolicy(`p-${index}`, {
      kinds: ['Job'],
      selector: { matchLabels: { team: `team-${index}` } },
      capacity: { maxJobs: 1 },
    });
    await client.create(resources.SuspendPolicy, within(asked, policy));
  }
}

await using stack = new AsyncDisposableStack();
const cluster = await startCluster(say, { scheduler: false, kwok: false });
stack.defer(() => cluster.stop());
// The controllers' work on the Jobs would only be noise.
await cluster.kill('kube-controller-manager');
const client = await clientOf(stack, cluster, 'bench-driver');
for (const name of [asked, unasked]) {
  const metadata = { name };
  await client.create(resources.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata });
}
const pair = newPair();
const certificate = await certificateFolder(pair);
stack.use(certificate);
const token = newReviewToken();
const tokenFile = join(dirname(certificate.certFile), 'review-token');
await writeFile(tokenFile, token);
const admission = startMain(join(root, 'functions/suspend-admission/main.ts'), {
  KUBECONFIG: cluster.kubeconfigFor('suspend-admission'),
  PORT: '0',
  MILLRACE_TLS_CERT_FILE: certificate.certFile,
  MILLRACE_TLS_KEY_FILE: certificate.keyFile,
  MILLRACE_REVIEW_TOKEN_FILE: tokenFile,
});
stack.defer(async () => {
  admission.kill('SIGTERM');
  await admission.exit;
});
await register(cluster, `${await admission.url}/${token}`, pair.cert);
const place: Place = { cluster, client, admissionPid: admission.pid };
const closed = suspendPolicy('closed', { kinds: ['Job'], capacity: { maxJobs: 0 } });
await client.create(resources.SuspendPolicy, within(asked, closed));
await untilHeld(place, true);
await compare(place, 'held by a policy');
await kubectlOrThrow(cluster.kubectl, ['-n', asked, 'delete', 'suspendpolicy', 'closed']);
await untilHeld(place, false);
await compare(place, 'no policy');
await applyPolicies(client);
await compare(place, `${policyCount} policies`);
