/** What an installation costs and how soon it answers, as the operating pages tell it. */
import { auditEntries, successfulCreates } from '#test/support/audit-log.ts';
import type { RealCluster } from './cluster/real-cluster.ts';

/**
 * Milliseconds from the answer to whoever submitted the flow until the API server receives the Job of its
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

/** What the kubelet counts of each Pod in the namespace that is not leaving, and all of them together. */
export async function memoryOf({ ask }: RealCluster, namespace: string): Promise<string> {
  const path = '/api/v1/nodes/minikube/proxy/stats/summary';
  const { pods } = JSON.parse(await ask(['get', '--raw', path])) as Summary;
  const columns = 'custom-columns=NAME:.metadata.name,GOING:.metadata.deletionTimestamp';
  const listed = await ask(['get', 'pods', '-n', namespace, '--no-headers', '-o', columns]);
  const staying = listed.split('\n').filter((line) => line.endsWith('<none>'));
  const names = new Set(staying.map((line) => line.split(' ')[0]));
  const found = pods.flatMap(({ podRef, memory }) =>
    podRef.namespace === namespace && names.has(podRef.name) && memory !== undefined
      ? [
          {
            name: podRef.name.replace(/(-\d{5}-deployment)?-[a-z0-9]+-[a-z0-9]+$/, ''),
            bytes: memory.workingSetBytes,
          },
        ]
      : [],
  );
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  const total = found.reduce((sum, { bytes }) => sum + bytes, 0);
  const each = found.map(({ name, bytes }) => `${name} ${megabytes(bytes)}`).toSorted();
  return `${megabytes(total)} in ${found.length} Pods: ${each.join(', ')}`;
}
