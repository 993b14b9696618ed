import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';

export interface KubectlResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface KubectlOptions {
  /** Given on standard input, for `apply -f -`. */
  readonly input?: string;
}

/** Runs kubectl to its end; a non-zero exit is an answer, not an exception. */
export type Kubectl = (args: readonly string[], options?: KubectlOptions) => Promise<KubectlResult>;

/** A kubectl bound to one kubeconfig; its discovery cache lives beside that file. */
export function kubectlWith(binary: string, kubeconfigFile: string): Kubectl {
  const cache = `--cache-dir=${join(dirname(kubeconfigFile), 'kubectl-cache')}`;
  return (args, { input = '' } = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(binary, [cache, ...args], {
        env: { ...process.env, KUBECONFIG: kubeconfigFile },
      });
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      child.on('error', reject);
      child.on('close', (code) => resolve({ stdout, stderr, code: code ?? 1 }));
      child.stdin.on('error', () => {
        // kubectl ended without reading its input; its exit code and stderr say why.
      });
      child.stdin.end(input);
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
