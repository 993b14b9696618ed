/**
 * A real control plane on free ports of 127.0.0.1: etcd, kube-apiserver, kube-controller-manager
 * and, unless switched off, kube-scheduler and kwok as the kubelet of every node. Ready after about
 * 3 s.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../free-ports.ts';
import { ManagedProcess } from '../managed-process.ts';
import { startOrphanGuard } from '../orphan-guard.ts';
import { writeAuditPolicy } from './audit-policy.ts';
import { type Binaries, obtainBinaries } from './binaries.ts';
import {
  argumentsOf,
  caFileOf,
  type ComponentName,
  componentNames,
  kubeconfigFileOf,
  type Layout,
} from './components.ts';
import { createCredentials, type User } from './credentials.ts';
import { kubeconfig } from './kubeconfig.ts';
import { type Kubectl, kubectlWith } from './kubectl.ts';
import { acceptsConnections, answersReady } from './ready.ts';

export interface ControlPlaneOptions {
  /** Users besides `admin`. Each gets a token, and only rights that are bound later. */
  readonly users?: readonly User[];
  /** Default true. */
  readonly scheduler?: boolean;
  /** Default true. */
  readonly kwok?: boolean;
  /** Raises the workers and client limits of controller manager and scheduler. Default true. */
  readonly load?: boolean;
  readonly apiServerFlags?: readonly string[];
  readonly progress?: (line: string) => void;
}

export interface ControlPlane {
  /** `https://127.0.0.1:<port>`; the port stays the same after restarts. */
  readonly server: string;
  /** `http://127.0.0.1:<port>` for etcd's metrics. */
  readonly etcd: string;
  /** PEM file of the server's certificate authority. */
  readonly caFile: string;
  readonly adminToken: string;
  readonly adminKubeconfig: string;
  readonly auditLog: string;
  /** Temporary folder with all files; removed by `stop`. */
  readonly folder: string;
  readonly binaries: Binaries;
  /** As admin. */
  readonly kubectl: Kubectl;
  /** Throws for a user that is not in the options. */
  kubeconfigFor(user: string): string;
  tokenFor(user: string): string;
  kubectlAs(user: string): Kubectl;
  logFile(component: ComponentName): string;
  /** Undefined while the component is not running. */
  pidOf(component: ComponentName): number | undefined;
  /** Sends the signal (default SIGKILL) and waits until the component has ended. */
  kill(component: ComponentName, signal?: NodeJS.Signals): Promise<void>;
  /** Starts a killed component on its old ports and data. Resolves when it is ready. */
  startComponent(component: ComponentName): Promise<void>;
  /** Stops and starts it; `signal` SIGTERM by default. */
  restart(component: ComponentName, signal?: NodeJS.Signals): Promise<void>;
  /** Ends every component and removes the folder. May be called twice. */
  stop(): Promise<void>;
}

/** Throws `ControlPlaneUnavailable` if the machine has neither the binaries nor Go. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const binaries = await obtainBinaries(options.progress ?? (() => undefined));
  const folder = await mkdtemp(join(tmpdir(), 'millrace-control-plane-'));
  const { layout, tokens } = await layOut(folder, options);
  const plane = assemble(binaries, layout, tokens);
  try {
    await plane.startComponent('etcd');
    await plane.startComponent('kube-apiserver');
    await writeKubeconfigs(layout, plane.server, tokens);
    await Promise.all(clientsWanted(options).map((component) => plane.startComponent(component)));
    return plane;
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

function clientsWanted({ scheduler = true, kwok = true }: ControlPlaneOptions): ComponentName[] {
  return [
    'kube-controller-manager',
    ...(scheduler ? (['kube-scheduler'] as const) : []),
    ...(kwok ? (['kwok'] as const) : []),
  ];
}

async function layOut(folder: string, options: ControlPlaneOptions) {
  const [etcdClient, etcdPeer, apiServer] = await freePorts(3);
  await mkdir(join(folder, 'logs'));
  await mkdir(join(folder, 'kubeconfigs'));
  const { tokens, ...files } = await createCredentials(folder, options.users ?? []);
  const layout: Layout = {
    folder,
    ports: { etcdClient: etcdClient!, etcdPeer: etcdPeer!, apiServer: apiServer! },
    ...files,
    auditPolicy: await writeAuditPolicy(folder),
    auditLog: join(folder, 'audit.log'),
    load: options.load ?? true,
    apiServerFlags: options.apiServerFlags ?? [],
  };
  return { layout, tokens };
}

async function writeKubeconfigs(
  { folder }: Layout,
  server: string,
  tokens: ReadonlyMap<string, string>,
): Promise<void> {
  const ca = await readFile(caFileOf(folder), 'utf8');
  for (const [user, token] of tokens) {
    const content = kubeconfig({ server, ca, user, token });
    await writeFile(kubeconfigFileOf(folder, user), content, { mode: 0o600 });
  }
}

function assemble(
  binaries: Binaries,
  layout: Layout,
  tokens: ReadonlyMap<string, string>,
): ControlPlane {
  const { folder, ports } = layout;
  const server = `https://127.0.0.1:${ports.apiServer}`;
  const guard = startOrphanGuard(folder);
  const processes = new Map(
    componentNames.map((name) => [name, processOf(name, binaries, layout, guard)]),
  );
  const processFor = (component: ComponentName) => processes.get(component)!;

  const tokenFor = (user: string) => {
    const token = tokens.get(user);
    if (token === undefined) throw new Error(`${user} is no user of this control plane`);
    return token;
  };
  const kubeconfigFor = (user: string) => {
    tokenFor(user);
    return kubeconfigFileOf(folder, user);
  };
  const kubectlAs = (user: string) => kubectlWith(binaries.kubectl, kubeconfigFor(user));

  const startComponent = async (component: ComponentName) => {
    const process = processFor(component);
    process.start();
    if (component === 'etcd') {
      await process.waitUntil(() => acceptsConnections(ports.etcdClient));
    }
    if (component === 'kube-apiserver') {
      await process.waitUntil(() => answersReady(server, tokenFor('admin')));
    }
  };

  return {
    server,
    etcd: `http://127.0.0.1:${ports.etcdClient}`,
    caFile: caFileOf(folder),
    adminToken: tokenFor('admin'),
    adminKubeconfig: kubeconfigFor('admin'),
    auditLog: layout.auditLog,
    folder,
    binaries,
    kubectl: kubectlAs('admin'),
    kubeconfigFor,
    tokenFor,
    kubectlAs,
    logFile: (component) => processFor(component).logFile,
    pidOf: (component) => processFor(component).pid,
    kill: (component, signal) => processFor(component).kill(signal),
    startComponent,
    restart: async (component, signal = 'SIGTERM') => {
      await processFor(component).kill(signal);
      await startComponent(component);
    },
    stop: async () => {
      await stopInOrder(processes);
      guard.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function processOf(
  name: ComponentName,
  binaries: Binaries,
  layout: Layout,
  guard: ReturnType<typeof startOrphanGuard>,
): ManagedProcess {
  return new ManagedProcess({
    command: binaries[name],
    args: argumentsOf(name, layout),
    logFile: join(layout.folder, 'logs', `${name}.log`),
    guard,
  });
}

/** Clients first, so that none waits for a server that has ended. */
async function stopInOrder(processes: ReadonlyMap<ComponentName, ManagedProcess>): Promise<void> {
  const order: readonly (readonly ComponentName[])[] = [
    ['kube-controller-manager', 'kube-scheduler', 'kwok'],
    ['kube-apiserver'],
    ['etcd'],
  ];
  for (const names of order) {
    await Promise.all(names.map(async (name) => processes.get(name)?.stop(3_000)));
  }
}
