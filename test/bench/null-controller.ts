/**
 * The limit for any controller on this machine: only the writes that flows need. It watches flows and
 * Jobs, creates the Jobs of a wave as soon as their dependencies are complete, and writes the status.
 * It has no queue, journal, rules, retries, Events or second reads.
 *
 *  node test/bench/null-controller.ts --kubeconfig FILE --status each-wave|start-and-end
 */
import { parseArgs } from 'node:util';
import type { JobFlow } from '#shared/api/job-flow.ts';
import { labels } from '#shared/domain/labels.ts';
import { type KubeObject, objectName, type Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import { HttpKubeClient } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import { endlessWatch } from './endless-watch.ts';
import { NullFlow } from './null-flow.ts';

const { values: flags } = parseArgs({
  options: { kubeconfig: { type: 'string' }, status: { type: 'string', default: 'each-wave' } },
});
const writesEachWave = flags.status === 'each-wave';
const connection = await loadConnection({ kubeconfig: flags.kubeconfig ?? '' });
const client = new HttpKubeClient({ connection, userAgent: 'bench-null-controller' });

interface Followed {
  readonly flow: NullFlow;
  readonly seen: Set<string>;
  isBusy: boolean;
}
const followed = new Map<string, Followed>();

const flowsFrom = await client.list(resources.JobFlow, {});
const jobsFrom = await client.list(resources.Job, { labelSelector: labels.ownerUid });
process.stdout.write('ready\n');
await Promise.all([
  eachChange(resources.JobFlow, flowsFrom.resourceVersion, follow),
  eachChange(resources.Job, jobsFrom.resourceVersion, takeNote),
]);

async function eachChange(
  resource: Resource,
  resourceVersion: string,
  onChange: (object: KubeObject) => void,
): Promise<void> {
  const selector = resource.kind === 'Job' ? { labelSelector: labels.ownerUid } : {};
  const { signal } = new AbortController();
  const options = { ...selector, resourceVersion, signal };
  for await (const { type, object } of endlessWatch(client, resource, options)) {
    if (type !== 'DELETED') onChange(object);
  }
}

function follow(object: KubeObject): void {
  const { uid } = object.metadata;
  if (followed.has(uid)) return;
  const flow = new NullFlow(object as JobFlow, rfc3339(Date.now()));
  const entry: Followed = { flow, seen: new Set(), isBusy: false };
  followed.set(uid, entry);
  void advance(entry);
}

function takeNote(job: KubeObject): void {
  const { [labels.ownerUid]: owner = '', [labels.step]: step = '' } = job.metadata.labels ?? {};
  const entry = followed.get(owner);
  if (entry === undefined || entry.seen.has(step) || !isComplete(job)) return;
  entry.seen.add(step);
  entry.flow.complete(step, job);
  void advance(entry);
}

/** One wave after the other. What completes during a write belongs to the next wave. */
async function advance(entry: Followed): Promise<void> {
  if (entry.isBusy) return;
  entry.isBusy = true;
  const { flow } = entry;
  let isStart = entry.seen.size === 0;
  for (let jobs = flow.takeReady(); jobs.length > 0; jobs = flow.takeReady()) {
    await Promise.all(jobs.map((job) => client.create(resources.Job, job)));
    if (writesEachWave || isStart) await writeStatus(flow);
    isStart = false;
  }
  if (flow.isOver) await writeStatus(flow);
  entry.isBusy = false;
}

async function writeStatus(flow: NullFlow): Promise<void> {
  const patch = flow.statusPatch(rfc3339(Date.now()));
  await client.patch(resources.JobFlow, objectName(flow.flow.metadata), patch, {
    type: 'merge',
    subresource: 'status',
  });
}

function isComplete({ status }: KubeObject): boolean {
  const { conditions = [] } = status as { readonly conditions?: readonly { type: string }[] };
  return conditions.some(({ type }) => type === 'Complete');
}
