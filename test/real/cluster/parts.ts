/** All that a cluster with containers is made of, from where the machine has it or built once. */
import { type BinariesNamed, obtainBinariesNamed } from '#test/support/control-plane/binaries.ts';
import { kubernetesBinaries, nodeBinaries } from '#test/support/control-plane/versions.ts';
import { obtainHelm } from '#test/support/helm.ts';
import { PartUnavailable } from '#test/support/part-unavailable.ts';
import { obtainRedisServer } from '#test/support/redis-binary.ts';
import { obtainNodeBinaries } from './binaries.ts';
import { obtainKueue } from '#test/support/kueue/program.ts';
import { obtainKnative } from './knative-programs.ts';

const names = [...kubernetesBinaries, ...nodeBinaries, 'etcd'] as const;

export interface Parts {
  readonly kubernetes: BinariesNamed<(typeof names)[number]>;
  /** Folder of containerd, network plugins and CoreDNS. */
  readonly node: string;
  readonly helm: string;
}

/**
 * Builds what is missing in two lanes: the end of each build is a linker on one core. Throws
 * {@link PartUnavailable} where there can be no such cluster.
 */
export async function obtainParts(progress: (line: string) => void): Promise<Parts> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new PartUnavailable('a node with containers needs Linux and root. Run it as root.');
  }
  await obtainRedisServer(progress);
  const others = async () => {
    const node = await obtainNodeBinaries(progress);
    // Suites install these beside Millrace: here, so that no test waits for a build.
    await obtainKnative('serving', progress);
    await obtainKnative('eventing', progress);
    await obtainKueue(progress);
    return { node, helm: await obtainHelm(progress) };
  };
  const [kubernetes, rest] = await Promise.all([obtainBinariesNamed(names, progress), others()]);
  return { kubernetes, ...rest };
}
