import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubectlPatience } from '#test/support/patience.ts';
import type { RealCluster } from './real-cluster.ts';

/** Of the kubelet and of the containers' engine each. */
const logLines = 40;

/**
 * Waits until the namespace is gone. Where that takes longer than 90 s, it throws what the API server, the kubelet
 * and the containers' engine say of what is still there.
 */
export async function removeNamespace(
  cluster: Pick<RealCluster, 'ask' | 'kubectl' | 'facts'>,
  namespace: string,
): Promise<void> {
  const command = ['delete', 'namespace', namespace, '--ignore-not-found', kubectlPatience];
  const { code, stdout, stderr } = await cluster.kubectl(command);
  if (code === 0) return;
  throw new Error([stderr + stdout, ...(await remains(cluster, namespace))].join('\n'));
}

async function remains(
  { kubectl, facts }: Pick<RealCluster, 'kubectl' | 'facts'>,
  namespace: string,
): Promise<readonly string[]> {
  const said = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await kubectl(args);
    return stdout + stderr;
  };
  const conditions = '{range .status.conditions[*]}{.type}={.status} {.message}{"\\n"}{end}';
  return [
    await said('get', 'namespace', namespace, '-o', `jsonpath=${conditions}`),
    await said('get', 'pods', '-n', namespace, '-o', 'wide'),
    await said('get', 'events', '-n', namespace, '--field-selector', 'type=Warning'),
    await endOfLog(facts.folder, 'kubelet'),
    await endOfLog(facts.folder, 'containerd'),
  ];
}

async function endOfLog(folder: string, name: string): Promise<string> {
  const text = await readFile(join(folder, `${name}.log`), 'utf8');
  return [`${name}:`, ...text.trimEnd().split('\n').slice(-logLines)].join('\n');
}
