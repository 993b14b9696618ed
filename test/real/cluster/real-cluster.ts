/** A started cluster, as tests in other processes reach it. */
import { dirname, join } from 'node:path';
import type { CommandResult } from '#test/support/control-plane/run-to-end.ts';
import { runInside } from './machine.ts';

export interface RealClusterFacts {
  /** Of the machine that it runs in. */
  readonly pid: string;
  /** Of its logs and its state. */
  readonly folder: string;
  /** JSON lines, see test/support/audit-log.ts. */
  readonly auditLog: string;
  /** Of the admin. */
  readonly kubeconfig: string;
  /** Paths of programs. */
  readonly kubectl: string;
  readonly helm: string;
  readonly ctr: string;
}

type Command = (args: readonly string[], input?: string) => Promise<CommandResult>;

export interface RealCluster {
  readonly facts: RealClusterFacts;
  /** As admin; a non-zero exit is an answer. */
  readonly kubectl: Command;
  /** The standard output; throws with kubectl's own words. */
  readonly ask: (args: readonly string[], input?: string) => Promise<string>;
  /** The command line of Millrace; throws with its own words. */
  readonly millrace: (...args: readonly string[]) => Promise<string>;
  /** The same of other sources, by the folder that they are in. */
  readonly millraceFrom: (root: string, ...args: readonly string[]) => Promise<string>;
  /** Throws with its own words. */
  readonly helm: (...args: readonly string[]) => Promise<string>;
  /** Runs a command line in the folder of the repository: returns its standard output, or throws its own words. */
  readonly type: (command: string) => Promise<string>;
  /** The same in the folder of the release that the suites install from. */
  readonly typeInRelease: (command: string) => Promise<string>;
  /** Makes an image archive known to the node. */
  readonly importImage: (archive: string) => Promise<void>;
}

const sources = join(import.meta.dirname, '../../..');

/** Its folder, which goes with the cluster. */
export function releaseOf({ folder }: Pick<RealClusterFacts, 'folder'>): string {
  return join(folder, 'release');
}

export function clusterOf(facts: RealClusterFacts): RealCluster {
  const { pid, folder, kubeconfig } = facts;
  const withKubeconfig = `--kubeconfig=${kubeconfig}`;
  const kubectl: Command = (args, input) =>
    runInside(pid, [facts.kubectl, withKubeconfig, ...args], input);
  const answerOf = async (
    command: readonly string[],
    input?: string,
    asTyped = command.join(' '),
  ): Promise<string> => {
    const { stdout, stderr, code } = await runInside(pid, command, input);
    if (code === 0) return stdout;
    throw new Error(`${asTyped} exited with ${code}: ${stderr}${stdout}`);
  };
  const millraceFrom = (root: string, ...args: readonly string[]): Promise<string> => {
    const main = join(root, 'functions/millrace/main.ts');
    return answerOf([process.execPath, main, ...args, withKubeconfig]);
  };
  const typedIn = (where: string, command: string): Promise<string> => {
    const path = [facts.kubectl, facts.helm, facts.ctr]
      .map((program) => dirname(program))
      .join(':');
    const env = [
      `PATH=${path}:${process.env['PATH'] ?? ''}`,
      `KUBECONFIG=${kubeconfig}`,
      `CONTAINERD_ADDRESS=${folder}/containerd.sock`,
    ];
    return answerOf(['env', '-C', where, ...env, 'sh', '-c', command], undefined, command);
  };
  const images = [facts.ctr, '-a', `${folder}/containerd.sock`, '-n', 'k8s.io', 'images'];
  return {
    facts,
    kubectl,
    ask: (args, input) => answerOf([facts.kubectl, withKubeconfig, ...args], input),
    millrace: (...args) => millraceFrom(sources, ...args),
    millraceFrom,
    helm: (...args) => answerOf([facts.helm, ...args, withKubeconfig]),
    type: (command) => typedIn(sources, command),
    typeInRelease: (command) => typedIn(releaseOf(facts), command),
    importImage: async (archive) => {
      await answerOf([...images, 'import', archive]);
    },
  };
}
