/**
 * Pods are read only if they may explain something. Either a Job is recorded as running and not all of
 * it is ready, or it has failed and its result is about to be recorded. An ordinary step reads no Pod.
 */
import type { JobFlow, StepRecord } from '#shared/api/job-flow.ts';
import { childJobName } from '#shared/domain/names.ts';
import type { Uid } from '#shared/domain/objects.ts';
import { withPodsOf } from '#shared/kube/doubtful-pods.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { jobCounts, type ObservedJob } from '#shared/domain/observed-job.ts';

/** All Jobs, those in doubt with their Pods. */
export function withPods(
  flow: JobFlow,
  jobs: readonly ObservedJob[],
  reader: Reader,
  nowMs: number | undefined,
): Promise<readonly ObservedJob[]> {
  const saidOf = ({ name }: ObservedJob): string | undefined =>
    flow.status?.jobStatusList?.find(({ jobName }) => jobName === name)?.reason;
  const doubtful = doubtfulJobs(flow, jobs);
  return withPodsOf({ owner: flow.metadata, doubtful, saidOf, nowMs }, jobs, reader);
}

function doubtfulJobs(flow: JobFlow, jobs: readonly ObservedJob[]): ReadonlySet<Uid> {
  const uids = new Set<Uid>();
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const records = new Map(flow.status?.jobStatusList?.map((record) => [record.name, record]));
  for (const { name } of flow.spec.flows) {
    const record = records.get(name);
    const job = byName.get(childJobName(flow.metadata.name, name, record?.attempt ?? 0));
    if (job !== undefined && isInDoubt(job, record?.state)) uids.add(job.uid);
  }
  return uids;
}

function isInDoubt(job: ObservedJob, recorded: StepRecord['state'] | undefined): boolean {
  if (recorded === 'Failed') return false;
  const holding = job.conditions.filter(({ status }) => status === 'True').map(({ type }) => type);
  if (holding.includes('Failed')) return true;
  if (recorded !== 'Running' || holding.length > 0) return false;
  if (job.suspend || job.deletionTimestamp !== undefined) return false;
  const { active, ready } = jobCounts(job);
  return ready < active || active === 0;
}
