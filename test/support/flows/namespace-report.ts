/** Details for a failed wait of a test. */
import { stringify } from 'yaml';
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { JobObject, PodObject } from './batch-objects.ts';

export interface NamespaceState {
  readonly flows: readonly JobFlow[];
  readonly daemonJobs: readonly DaemonJob[];
  readonly policies: readonly KubeObject[];
  readonly jobs: readonly JobObject[];
  readonly pods: readonly PodObject[];
  /** `<reason> <object>: <message>`, oldest first. */
  readonly events: readonly string[];
  /** Millrace's log about objects of the namespace, oldest first. */
  readonly log: readonly string[];
  /** The bridge's log about its watches in all namespaces, oldest first. */
  readonly bridge: readonly string[];
}

/** The shortest part comes first: a tally shows the beginning only. */
export function describeNamespace(state: NamespaceState): string {
  const { flows, daemonJobs, policies, jobs, pods, events, log, bridge } = state;
  return [
    `jobs:\n${indented(jobs.map(jobLine).join('\n'))}`,
    `pods:\n${indented(pods.map(podLine).join('\n'))}`,
    ...flows.map((flow) => `flow ${flow.metadata.name}:\n${indented(statusOf(flow))}`),
    ...daemonJobs.map((each) => `DaemonJob ${each.metadata.name}:\n${indented(statusOf(each))}`),
    ...policies.map((each) => `SuspendPolicy ${each.metadata.name}:\n${indented(statusOf(each))}`),
    `events:\n${indented(events.join('\n'))}`,
    `log:\n${indented(log.join('\n'))}`,
    `bridge:\n${indented(bridge.join('\n'))}`,
  ].join('\n');
}

function statusOf({ metadata, status }: JobFlow | DaemonJob | KubeObject): string {
  const deleted = metadata.deletionTimestamp === undefined ? {} : { deleted: true };
  return stringify({ generation: metadata.generation, ...deleted, status: status ?? 'none' });
}

function jobLine({ metadata, spec, status }: JobObject): string {
  const conditions = (status?.conditions ?? []).map(
    ({ type, status: value, reason }) => `${type}=${value}(${reason ?? ''})`,
  );
  const { active = 0, succeeded = 0, failed = 0, terminating = 0 } = status ?? {};
  const counts = `active ${active} succeeded ${succeeded} failed ${failed} terminating ${terminating}`;
  const owner = metadata.ownerReferences?.[0];
  const ownedBy = owner === undefined ? 'unowned' : `of ${owner.name} ${owner.uid}`;
  const suspended = spec.suspend === true ? ' suspended' : '';
  return `${metadata.name} ${ownedBy}: ${counts}${suspended} ${conditions.join(' ')}`;
}

function podLine({ metadata, spec, status }: PodObject): string {
  const deleted = metadata.deletionTimestamp === undefined ? '' : ' terminating';
  return `${metadata.name}: ${status?.phase ?? 'no phase'}${deleted} on ${spec.nodeName ?? 'no node'}`;
}

function indented(text: string): string {
  return text === '' ? '  none' : text.replace(/^/gm, '  ');
}
