/** What makes a node, beside the control plane: from the cache folder, else built there once from Go modules. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  go,
  intoFolder,
  lean,
  requireGo,
  withProgress,
} from '#test/support/control-plane/build.ts';
import { withBuildLock } from '#test/support/control-plane/build-lock.ts';

const run = promisify(execFile);

const containerd = 'github.com/containerd/containerd/v2';
const plugins = 'github.com/containernetworking/plugins/plugins';
const nodeVersions = { containerd: 'v2.4.2', plugins: 'v1.9.1', coredns: 'v1.15.0' } as const;

interface Built {
  readonly names: readonly string[];
  readonly packages: readonly string[];
  readonly version: string;
  readonly flags: readonly string[];
}

const built: readonly Built[] = [
  {
    names: ['containerd', 'containerd-shim-runc-v2', 'ctr'],
    packages: ['containerd', 'containerd-shim-runc-v2', 'ctr'].map(
      (name) => `${containerd}/cmd/${name}`,
    ),
    version: nodeVersions.containerd,
    flags: [
      '-tags=no_btrfs,no_devmapper,no_zfs,no_aufs',
      ...lean([`-X ${containerd}/version.Version=${nodeVersions.containerd}`]),
    ],
  },
  {
    names: ['loopback', 'ptp', 'host-local', 'portmap'],
    packages: ['main/loopback', 'main/ptp', 'ipam/host-local', 'meta/portmap'].map(
      (path) => `${plugins}/${path}`,
    ),
    version: nodeVersions.plugins,
    flags: lean(),
  },
  {
    names: ['coredns'],
    packages: ['github.com/coredns/coredns'],
    version: nodeVersions.coredns,
    flags: lean(),
  },
];

/** Of the distribution: what the node calls and Go modules do not have. */
const ofDistribution = [
  { program: 'runc', package: 'runc' },
  { program: 'nft', package: 'nftables' },
  { program: 'iptables', package: 'iptables' },
  { program: 'conntrack', package: 'conntrack' },
  { program: 'busybox', package: 'busybox-static' },
  { program: 'ip', package: 'iproute2' },
] as const;

/** Returns the folder that has them; about 3 minutes on two cores, once. */
export async function obtainNodeBinaries(progress: (line: string) => void): Promise<string> {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const label = Object.entries(nodeVersions).map(([name, version]) => `${name}-${version}`);
  const folder = join(base, 'millrace', 'node', label.join('_'));
  await installFromDistribution(progress);
  const lacks = ({ names }: Built): boolean =>
    !names.every((name) => existsSync(join(folder, name)));
  if (!built.some(lacks)) return folder;
  await requireGo();
  await withBuildLock(folder, progress, async () => {
    for (const each of built.filter(lacks)) {
      const { names, packages, version, flags } = each;
      await withProgress(`node: ${names.join(', ')}`, progress, () =>
        intoFolder(folder, names, (GOBIN) => {
          const wanted = packages.map((path) => `${path}@${version}`);
          return go(tmpdir(), ['install', ...flags, ...wanted], { GOBIN });
        }),
      );
    }
  });
  return folder;
}

async function installFromDistribution(progress: (line: string) => void): Promise<void> {
  const missing: string[] = [];
  for (const { program, package: name } of ofDistribution) {
    await run('which', [program]).catch(() => missing.push(name));
  }
  if (missing.length === 0) return;
  progress(`node: installing ${missing.join(', ')} with apt-get`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = () =>
    run('apt-get', ['install', '-y', '--no-install-recommends', ...missing], { env });
  await install().catch(async () => {
    await run('apt-get', ['update'], { env });
    await install();
  });
}
