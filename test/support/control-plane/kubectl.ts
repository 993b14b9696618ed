import { dirname, join } from 'node:path';
import { type CommandResult, runToEnd } from './run-to-end.ts';

export type KubectlResult = CommandResult;

export interface KubectlOptions {
  /** Given on standard input, for `apply -f -`. */
  readonly input?: string;
  /**
   * What `kubectl edit` opens. Absent: a program that fails, never the editor of the person who
   * runs the tests, which would wait for keys.
   */
  readonly editor?: string;
}

/** Below what a test may take, so that the failure tells which kubectl it waited for. */
const patienceMs = 100_000;

/** Runs kubectl to its end; a non-zero exit is an answer, not an exception. Rejects after 100 s. */
export type Kubectl = (args: readonly string[], options?: KubectlOptions) => Promise<KubectlResult>;

/** A kubectl bound to one kubeconfig; its discovery cache lives beside that file. */
export function kubectlWith(binary: string, kubeconfigFile: string): Kubectl {
  const cache = `--cache-dir=${join(dirname(kubeconfigFile), 'kubectl-cache')}`;
  return (args, { input = '', editor = 'false' } = {}) =>
    runToEnd(binary, [cache, ...args], {
      input,
      env: { ...process.env, KUBECONFIG: kubeconfigFile, KUBE_EDITOR: editor },
      signal: AbortSignal.timeout(patienceMs),
    });
}

/** The standard output; throws with kubectl's own words when it did not exit with 0. */
export async function kubectlOrThrow(
  kubectl: Kubectl,
  args: readonly string[],
  options?: KubectlOptions,
): Promise<string> {
  const { stdout, stderr, code } = await kubectl(args, options);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} exited with ${code}: ${stderr}`);
  return stdout;
}
