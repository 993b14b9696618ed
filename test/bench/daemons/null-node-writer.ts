import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { resources } from '#shared/domain/resources.ts';
import { concurrentOperations } from '#shared/kube/apply-plan.ts';
import { eachBounded } from '#shared/kube/bounded.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { renderNodeJob } from '#shared/render/render-node-job.ts';

const largestBatch = 128;

/**
 * Creates a DaemonJob's Jobs on all labelled nodes, and does nothing else. It creates the same Jobs in
 * batches of the same growing size. One list gives the nodes.
 */
export async function writeNodeJobs(
  client: KubeClient,
  daemonJob: DaemonJob,
  label: string,
): Promise<void> {
  const { items } = await client.list(resources.Node, { labelSelector: label });
  const jobs = items.map(({ metadata }) =>
    renderNodeJob(daemonJob, { node: metadata, attempt: 0 }),
  );
  let size = 1;
  for (let from = 0; from < jobs.length;) {
    const batch = jobs.slice(from, from + size);
    const { errors } = await eachBounded(batch, concurrentOperations, ({ object }) =>
      client.create(resources.Job, object),
    );
    if (errors.length > 0) throw errors[0];
    from += batch.length;
    size = Math.min(size * 2, largestBatch);
  }
}
