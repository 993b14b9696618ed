/** The programs of a node beside the control plane: from the cache folder, else built there once from Go modules. */
import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  downloadModule,
  go,
  inFreshFolder,
  lean,
  writeRenamedModfile,
} from '#test/support/control-plane/build.ts';
import { type Build, goInstall, obtainPrograms } from '#test/support/go-programs.ts';

const run = promisify(execFile);

const containerd = 'github.com/containerd/containerd/v2';
const plugins = 'github.com/containernetworking/plugins/plugins';
const nodeVersions = { containerd: 'v2.4.2', plugins: 'v1.9.1', coredns: 'v1.15.0' } as const;

const builds: readonly Build[] = [
  {
    names: ['containerd', 'containerd-shim-runc-v2', 'ctr'],
    run: (output) =>
      goInstall(output, {
        packages: ['containerd', 'containerd-shim-runc-v2', 'ctr'].map(
          (name) => `${containerd}/cmd/${name}@${nodeVersions.containerd}`,
        ),
        flags: [
          '-tags=no_btrfs,no_devmapper,no_zfs,no_aufs',
          ...lean([`-X ${containerd}/version.Version=${nodeVersions.containerd}`]),
        ],
      }),
  },
  {
    names: ['loopback', 'ptp', 'host-local', 'portmap'],
    run: (output) =>
      goInstall(output, {
        packages: ['main/loopback', 'main/ptp', 'ipam/host-local', 'meta/portmap'].map(
          (path) => `${plugins}/${path}@${nodeVersions.plugins}`,
        ),
        flags: lean(),
      }),
  },
  { names: ['coredns'], run: buildDnsServer },
];

/** With the dependencies that CoreDNS itself was released with. */
async function buildDnsServer(output: string): Promise<void> {
  const module = 'github.com/coredns/coredns';
  const source = await downloadModule(module, nodeVersions.coredns);
  await inFreshFolder(async (aside) => {
    await writeRenamedModfile(source, aside, 'dns-server');
    await copyFile(join(import.meta.dirname, 'dns-server', 'main.go'), join(aside, 'main.go'));
    await go(aside, ['mod', 'edit', `-require=${module}@${nodeVersions.coredns}`]);
    await go(aside, ['build', '-mod=mod', ...lean(), '-o', join(output, 'coredns'), '.']);
  });
}

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
  const label = Object.entries(nodeVersions).map(([name, version]) => `${name}-${version}`);
  await installFromDistribution(progress);
  return obtainPrograms({ of: 'node', folder: ['node', label.join('_')], builds }, progress);
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
