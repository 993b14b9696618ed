/** The costs of an installation and the time of its answers, as the operating pages give them. */
import { setTimeout } from 'node:timers/promises';
import { auditEntries, successfulCreates } from '#test/support/audit-log.ts';
import type { RealCluster } from './cluster/real-cluster.ts';

/**
 * Milliseconds from the answer to the submitter of the flow until the API server receives the Job of its
 * step, by the audit log.
 */
export async function reactionMs(auditLog: string, flow: string, step: string): Promise<number> {
  const ofFlow = { resource: 'jobflows', name: flow, verb: 'patch', subresource: '' };
  const [submitted] = await auditEntries(auditLog, ofFlow);
  // Admission has tried it before, with a dry run.
  const [created] = await successfulCreates(auditLog, {
    resource: 'jobs',
    name: `${flow}-${step}`,
  });
  if (submitted === undefined || created === undefined) throw new Error(`${flow}: not on record`);
  return created.receivedAtMs - submitted.answeredAtMs;
}

/** Of at least one sample: `p50 12 ms, p99 40 ms (of 20)`. */
export function spread(samples: readonly number[]): string {
  const sorted = samples.toSorted((left, right) => left - right);
  const at = (share: number): string =>
    `${Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? NaN)} ms`;
  return `p50 ${at(0.5)}, p99 ${at(0.99)} (of ${sorted.length})`;
}

interface Summary {
  readonly pods: readonly {
    readonly podRef: { readonly name: string; readonly namespace: string };
    readonly memory?: { readonly workingSetBytes: number };
  }[];
}

interface PodMemory {
  readonly name: string;
  readonly bytes: number;
}

const countedWithinMs = 30_000;
const lookEveryMs = 2_000;

/** The memory of each Pod in the namespace that is not leaving, by the kubelet, and of all of them together. */
export async function memoryOf(cluster: RealCluster, namespace: string): Promise<string> {
  const untilMs = performance.now() + countedWithinMs;
  let pods = await podMemories(cluster, namespace);
  // A Pod that has just started is counted as nothing until the kubelet looks again.
  while (pods.some(({ bytes }) => bytes === 0) && performance.now() < untilMs) {
    await setTimeout(lookEveryMs);
    pods = await podMemories(cluster, namespace);
  }
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  const counted = pods.filter(({ bytes }) => bytes > 0);
  const total = counted.reduce((sum, { bytes }) => sum + bytes, 0);
  const each = counted.map(({ name, bytes }) => `${name} ${megabytes(bytes)}`).toSorted();
  const rest = pods.length - counted.length;
  const words = `${megabytes(total)} in ${counted.length} Pods: ${each.join(', ')}`;
  return rest === 0 ? words : `${words}; ${rest} more are not counted yet`;
}

async function podMemories({ ask }: RealCluster, namespace: string): Promise<readonly PodMemory[]> {
  const path = '/api/v1/nodes/minikube/proxy/stats/summary';
  const { pods } = JSON.parse(await ask(['get', '--raw', path])) as Summary;
  const columns = 'custom-columns=NAME:.metadata.name,GOING:.metadata.deletionTimestamp';
  const listed = await ask(['get', 'pods', '-n', namespace, '--no-headers', '-o', columns]);
  const staying = listed.split('\n').filter((line) => line.endsWith('<none>'));
  const bytes = new Map(
    pods
      .filter(({ podRef }) => podRef.namespace === namespace)
      .map(({ podRef, memory }) => [podRef.name, memory?.workingSetBytes ?? 0]),
  );
  return staying.map((line) => {
    const name = line.split(' ')[0] ?? '';
    return {
      name: name.replace(/(-\d{5}-deployment)?-[a-z0-9]+-[a-z0-9]+$/, ''),
      bytes: bytes.get(name) ?? 0,
    };
  });
}
