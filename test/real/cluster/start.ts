/**
 * A real cluster of one node: control plane, kubelet, containerd, kube-proxy and CoreDNS, in a machine within
 * this machine. Containers are real, and so are Services and names.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '#shared/domain/objects.ts';
import { writeAuditPolicy } from '#test/support/control-plane/audit-policy.ts';
import { createCredentials } from '#test/support/control-plane/credentials.ts';
import { kubeconfig } from '#test/support/control-plane/kubeconfig.ts';
import { startOrphanGuard } from '#test/support/orphan-guard.ts';
import { kubectlPatience } from '#test/support/patience.ts';
import { dnsManifests } from './dns.ts';
import { pauseImage, writeNodeImages } from './images.ts';
import { Machine } from './machine.ts';
import {
  containerdConfig,
  kubeletConfig,
  networkConfig,
  networks,
  node,
  type NodePlace,
  proxyConfig,
} from './node-files.ts';
import type { Parts } from './parts.ts';
import { clusterOf, type RealClusterFacts } from './real-cluster.ts';

export interface StartedCluster {
  readonly facts: RealClusterFacts;
  readonly stop: () => Promise<void>;
}

export async function startRealCluster(
  { kubernetes: plane, node: binaries, helm }: Parts,
  progress: (line: string) => void,
): Promise<StartedCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-real-'));
  const guard = startOrphanGuard(folder);
  const name = `millrace-${randomBytes(3).toString('hex')}`;
  const machine = new Machine(name, folder, guard);
  const stop = async (): Promise<void> => {
    await machine.down();
    guard.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await machine.up();
    const place = { folder, binaries, name, adminKubeconfig: join(folder, 'admin.kubeconfig') };
    await writeConfigurations(place);
    const auditLog = join(folder, 'audit.log');
    const { apiServer, tokens } = await apiServerArguments(folder, auditLog);
    const path = { PATH: `${binaries}:${process.env['PATH'] ?? ''}` };
    machine.start('etcd', [plane.etcd, ...etcdArguments(folder)]);
    machine.start('kube-apiserver', [plane['kube-apiserver'], ...apiServer]);
    machine.start(
      'containerd',
      [join(binaries, 'containerd'), '--config', `${folder}/containerd.toml`],
      path,
    );
    await writeKubeconfigs(place, tokens);
    const facts: RealClusterFacts = {
      pid: machine.pid,
      folder,
      auditLog,
      kubeconfig: place.adminKubeconfig,
      kubectl: plane.kubectl,
      helm,
      ctr: join(binaries, 'ctr'),
    };
    const { kubectl, ask, importImage } = clusterOf(facts);
    await until(
      'the API server',
      async () => (await kubectl(['get', '--raw', '/readyz'])).code === 0,
    );
    const common = [
      `--kubeconfig=${place.adminKubeconfig}`,
      '--leader-elect=false',
      '--secure-port=0',
    ];
    machine.start('kube-controller-manager', [
      plane['kube-controller-manager'],
      ...common,
      `--service-account-private-key-file=${folder}/service-account.key`,
      `--root-ca-file=${folder}/certs/apiserver.crt`,
    ]);
    machine.start('kube-scheduler', [plane['kube-scheduler'], ...common]);
    progress('cluster: images of the node');
    for (const archive of await writeNodeImages(folder, binaries, progress))
      await importImage(archive);
    machine.start('kubelet', [plane.kubelet, ...kubeletArguments(place)], path);
    machine.start('kube-proxy', [plane['kube-proxy'], `--config=${folder}/proxy.yaml`]);
    await until('the node', async () =>
      (await kubectl(['get', 'nodes'])).stdout.includes(' Ready '),
    );
    const input = JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: dnsManifests,
    } satisfies JsonObject);
    await ask(['apply', '--server-side', '-f', '-'], input);
    await ask(['rollout', 'status', '-n', 'kube-system', 'deployment/coredns', kubectlPatience]);
    progress('cluster: ready');
    return { facts, stop };
  } catch (error) {
    progress(`cluster: failed; logs are in ${folder}`);
    await machine.down();
    guard.close();
    throw error;
  }
}

async function writeConfigurations(place: NodePlace): Promise<void> {
  const { folder } = place;
  for (const each of ['cni', 'pod-logs', 'certs']) await mkdir(join(folder, each));
  const files = {
    'containerd.toml': containerdConfig(place, pauseImage),
    'cni/10-millrace.conflist': networkConfig(place),
    'kubelet.yaml': kubeletConfig(place),
    'proxy.yaml': proxyConfig(place),
  };
  for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content);
}

const kubelet = `system:node:${node.name}`;

function etcdArguments(folder: string): readonly string[] {
  const client = 'http://127.0.0.1:2379';
  return [
    `--data-dir=${folder}/etcd`,
    '--unsafe-no-fsync',
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    '--log-level=warn',
  ];
}

async function apiServerArguments(folder: string, auditLog: string) {
  const users = [{ name: kubelet, groups: ['system:nodes'] }];
  const { tokenFile, serviceAccountKey, tokens } = await createCredentials(folder, users);
  const apiServer = [
    '--etcd-servers=http://127.0.0.1:2379',
    '--secure-port=6443',
    '--bind-address=0.0.0.0',
    `--advertise-address=${node.address}`,
    `--cert-dir=${folder}/certs`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${serviceAccountKey}`,
    `--service-account-signing-key-file=${serviceAccountKey}`,
    `--token-auth-file=${tokenFile}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    `--service-cluster-ip-range=${networks.services}`,
    '--kubelet-preferred-address-types=InternalIP',
    '--allow-privileged=true',
    `--audit-policy-file=${await writeAuditPolicy(folder)}`,
    `--audit-log-path=${auditLog}`,
    '--audit-log-maxsize=0',
  ];
  return { apiServer, tokens };
}

async function writeKubeconfigs(
  { folder, adminKubeconfig }: NodePlace,
  tokens: ReadonlyMap<string, string>,
): Promise<void> {
  const authority = join(folder, 'certs/apiserver.crt');
  let ca = '';
  await until('the certificate of the API server', async () => {
    ca = await readFile(authority, 'utf8').catch(() => '');
    return ca !== '';
  });
  const server = `https://${node.address}:6443`;
  const files = { [adminKubeconfig]: 'admin', [join(folder, 'kubelet.kubeconfig')]: kubelet };
  for (const [path, user] of Object.entries(files)) {
    await writeFile(path, kubeconfig({ server, ca, user, token: tokens.get(user) ?? '' }));
  }
}

function kubeletArguments({ folder }: NodePlace): readonly string[] {
  return [
    `--config=${folder}/kubelet.yaml`,
    `--kubeconfig=${folder}/kubelet.kubeconfig`,
    `--root-dir=${folder}/kubelet`,
    `--cert-dir=${folder}/kubelet-certificates`,
    `--hostname-override=${node.name}`,
    `--node-ip=${node.address}`,
  ];
}

const patienceMs = 60_000;

async function until(what: string, isReached: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await isReached())) {
    if (Date.now() > deadline) throw new Error(`${what} was not ready within ${patienceMs} ms`);
    await sleep(200);
  }
}
