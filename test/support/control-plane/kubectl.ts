import { dirname, join } from 'node:path';
import { type CommandResult, runToEnd } from './run-to-end.ts';

export type KubectlResult = CommandResult;

export interface KubectlOptions {
  /** Given on standard input, for `apply -f -`. */
  readonly input?: string;
  /**
   * The program that `kubectl edit` opens. Absent: a program that fails. A person's own editor
   * would wait for keys.
   */
  readonly editor?: string;
}

/** Below the timeout of a test, so that the failure names the kubectl command. */
const patienceMs = 100_000;

/** Runs kubectl to its end. A non-zero exit is a result, not an exception. Rejects after 100 s. */
export type Kubectl = (args: readonly string[], options?: KubectlOptions) => Promise<KubectlResult>;

/** kubectl with one kubeconfig; its discovery cache is beside that file. */
export function kubectlWith(binary: string, kubeconfigFile: string): Kubectl {
  const cache = `--cache-dir=${join(dirname(kubeconfigFile), 'kubectl-cache')}`;
  return (args, { input = '', editor = 'false' } = {}) =>
    runToEnd(binary, [cache, ...args], {
      input,
      env: { ...process.env, KUBECONFIG: kubeconfigFile, KUBE_EDITOR: editor },
      signal: AbortSignal.timeout(patienceMs),
    });
}

/** The standard output. Throws with kubectl's own message if the exit code is not 0. */
export async function kubectlOrThrow(
  kubectl: Kubectl,
  args: readonly string[],
  options?: KubectlOptions,
): Promise<string> {
  const { stdout, stderr, code } = await kubectl(args, options);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} exited with ${code}: ${stderr}`);
  return stdout;
}
