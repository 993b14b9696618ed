import { dirname, join } from 'node:path';
import { type CommandResult, runToEnd } from './run-to-end.ts';

export type KubectlResult = CommandResult;

export interface KubectlOptions {
  /** Given on standard input, for `apply -f -`. */
  readonly input?: string;
}

/** Runs kubectl to its end; a non-zero exit is an answer, not an exception. */
export type Kubectl = (args: readonly string[], options?: KubectlOptions) => Promise<KubectlResult>;

/** A kubectl bound to one kubeconfig; its discovery cache lives beside that file. */
export function kubectlWith(binary: string, kubeconfigFile: string): Kubectl {
  const cache = `--cache-dir=${join(dirname(kubeconfigFile), 'kubectl-cache')}`;
  const env = { ...process.env, KUBECONFIG: kubeconfigFile };
  return (args, options = {}) => runToEnd(binary, [cache, ...args], { ...options, env });
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
