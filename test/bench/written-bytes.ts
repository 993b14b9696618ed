/**
 * Written bytes by the servers' own metrics. The audit log at level Metadata has no sizes, and
 * neither metric knows the client.
 */
import { request } from 'undici';
import { loadConnection } from '#shared/kube/kube-config.ts';
import type { Cluster } from '../support/cluster-parts.ts';
import { type Sample, samplesOf } from './prometheus-text.ts';

export interface WrittenBytes {
  /** Bodies of write requests (`apiserver_request_body_size_bytes`) by `verb resource`. */
  readonly bodies: Readonly<Record<string, number>>;
  /** Total of etcd's log writes (`etcd_disk_wal_write_bytes_total`). */
  readonly etcdLog: number;
}

/**
 * Requests of the benchmark itself, which creates flows and completes Jobs, or of the API server. A
 * controller's patch of a Job would be lost here, but no workload has one.
 */
const notOfController: ReadonlySet<string> = new Set(['create jobflows', 'patch jobs']);
const renewals = 'leases';

export async function readWrittenBytes(cluster: Cluster): Promise<WrittenBytes> {
  const connection = await loadConnection({ kubeconfig: cluster.adminKubeconfig });
  const { dispatcher } = connection;
  const headers = (await connection.headers()) as Record<string, string>;
  const [api, etcd] = await Promise.all([
    request(`${cluster.server}/metrics`, { dispatcher, headers }).then(({ body }) => body.text()),
    fetch(`${cluster.etcd}/metrics`).then((answer) => answer.text()),
  ]);
  await connection.close();
  const [log] = present(etcd, 'etcd_disk_wal_write_bytes_total');
  return { bodies: bodiesOf(api), etcdLog: log?.value ?? Number.NaN };
}

/** A missing metric must not count as zero. */
function present(text: string, name: string): readonly Sample[] {
  const samples = samplesOf(text, name);
  if (samples.length === 0) throw new Error(`no metric ${name}`);
  return samples;
}

function bodiesOf(text: string): Readonly<Record<string, number>> {
  const bodies: Record<string, number> = {};
  for (const { labels, value } of present(text, 'apiserver_request_body_size_bytes_sum')) {
    const { verb = '', resource = '' } = labels;
    const what = `${verb} ${resource}`;
    if (resource !== renewals && !notOfController.has(what)) {
      bodies[what] = (bodies[what] ?? 0) + value;
    }
  }
  return bodies;
}

/** The difference between two readings, without kinds that were not written. */
export function writtenBetween(before: WrittenBytes, after: WrittenBytes): WrittenBytes {
  const grown = Object.entries(after.bodies)
    .map(([what, bytes]) => [what, bytes - (before.bodies[what] ?? 0)] as const)
    .filter(([, bytes]) => bytes > 0);
  return { bodies: Object.fromEntries(grown), etcdLog: after.etcdLog - before.etcdLog };
}
