import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const componentNames = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
] as const;

export type ComponentName = (typeof componentNames)[number];

export interface Layout {
  readonly folder: string;
  readonly ports: {
    readonly etcdClient: number;
    readonly etcdPeer: number;
    readonly apiServer: number;
  };
  readonly tokenFile: string;
  readonly serviceAccountKey: string;
  readonly auditPolicy: string;
  readonly auditLog: string;
  /** More workers and no client-side throttle in the controller manager. */
  readonly load: boolean;
  readonly apiServerFlags: readonly string[];
}

export const kubeconfigFileOf = (folder: string, user: string) =>
  join(folder, 'kubeconfigs', `${user.replace(/[^\w.-]/g, '-')}.yaml`);

/** The self-signed chain that kube-apiserver writes at its first start. */
export const caFileOf = (folder: string) => join(folder, 'certs', 'apiserver.crt');

const stages = join(import.meta.dirname, 'stages');

export function argumentsOf(component: ComponentName, layout: Layout): readonly string[] {
  switch (component) {
    case 'etcd':
      return etcd(layout);
    case 'kube-apiserver':
      return apiServer(layout);
    case 'kube-controller-manager':
      return controllerManager(layout);
    case 'kube-scheduler':
      return [
        `--kubeconfig=${kubeconfigFileOf(layout.folder, 'system:kube-scheduler')}`,
        '--leader-elect=false',
        '--secure-port=0',
        ...(layout.load ? clientWithoutThrottle : []),
      ];
    case 'kwok':
      return [
        `--kubeconfig=${kubeconfigFileOf(layout.folder, 'kwok')}`,
        '--manage-all-nodes=true',
        // With leases, kwok loses a Pod that is bound before kwok's watch has reported its own
        // lease.
        '--node-lease-duration-seconds=0',
        ...readdirSync(stages).map((file) => `--config=${join(stages, file)}`),
      ];
  }
}

/** Longer than the longest interval between two heartbeats of kwok (stages/node.yaml). */
const patience = '--node-monitor-grace-period=15m';
const clientWithoutThrottle = ['--kube-api-qps=5000', '--kube-api-burst=10000'];

function etcd({ folder, ports }: Layout): readonly string[] {
  const client = `http://127.0.0.1:${ports.etcdClient}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    // Only a power cut would need the sync; processes may be killed at any time.
    '--unsafe-no-fsync',
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--log-level=warn',
  ];
}

function apiServer(layout: Layout): readonly string[] {
  const { folder, ports, serviceAccountKey } = layout;
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcdClient}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${ports.apiServer}`,
    `--cert-dir=${join(folder, 'certs')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${serviceAccountKey}`,
    `--service-account-signing-key-file=${serviceAccountKey}`,
    `--token-auth-file=${layout.tokenFile}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--endpoint-reconciler-type=none',
    `--audit-policy-file=${layout.auditPolicy}`,
    `--audit-log-path=${layout.auditLog}`,
    // One file per run, so that readers of the audit log need no rotation.
    '--audit-log-maxsize=0',
    ...layout.apiServerFlags,
  ];
}

function controllerManager(layout: Layout): readonly string[] {
  const off = [
    'node-ipam-controller',
    'cloud-node-lifecycle-controller',
    'service-lb-controller',
    'node-route-controller',
    'bootstrap-signer-controller',
    'token-cleaner-controller',
  ];
  return [
    `--kubeconfig=${kubeconfigFileOf(layout.folder, 'system:kube-controller-manager')}`,
    `--service-account-private-key-file=${layout.serviceAccountKey}`,
    '--leader-elect=false',
    '--secure-port=0',
    `--controllers=${['*', ...off.map((name) => `-${name}`)].join(',')}`,
    patience,
    ...(layout.load ? ['--concurrent-job-syncs=50', ...clientWithoutThrottle] : []),
  ];
}
