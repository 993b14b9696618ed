/**
 * Records the admission that a job has given up. The job and its Workload come from two views, and either may be
 * outdated. A stopped job could then start by an admission that was already taken back. So the job records the uid and
 * version of the Workload by which it stopped, and only a later version starts it.
 */
import { parsedObject } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import {
  asResourceVersion,
  type JsonObject,
  type KubeObject,
  type ResourceVersion,
} from '#shared/domain/objects.ts';
import type { Stage } from '#shared/domain/plan.ts';
import { isKnownBy } from '#shared/domain/resource-version.ts';
import { holds, type Workload } from '../workload.ts';
import { patchJob } from './operations.ts';
import type { Situation } from './situation.ts';

/** Annotations of a job that gives up its admission: of the Workload with quota, else of the first one. */
export function givingUp(workloads: readonly Workload[]): JsonObject {
  const given = workloads.find((each) => holds(each, 'QuotaReserved')) ?? workloads[0];
  if (given === undefined) return {};
  const { uid, resourceVersion: version } = given.metadata;
  return { [annotations.givenUp]: JSON.stringify({ uid, version }) };
}

/** A stopped job records this before its quota is returned. */
export function givesUp(situation: Situation, workloads: readonly Workload[]): readonly Stage[] {
  const holding = workloads.filter((each) => holds(each, 'QuotaReserved'));
  const { annotations: own = {} } = situation.job.metadata;
  const wanted = givingUp(holding);
  if (holding.length === 0 || wanted[annotations.givenUp] === own[annotations.givenUp]) return [];
  return [[patchJob(situation, { metadata: { annotations: wanted } })]];
}

export function isGivenUp({ metadata }: Workload, job: KubeObject): boolean {
  const version = versionGivenUp(metadata.uid, job);
  return version !== undefined && isKnownBy(metadata.resourceVersion, version);
}

/** Unless the view is behind, nothing has happened to the Workload since. */
export function isLastGivenUp({ metadata }: Workload, job: KubeObject): boolean {
  return metadata.resourceVersion === versionGivenUp(metadata.uid, job);
}

function versionGivenUp(of: string, { metadata }: KubeObject): ResourceVersion | undefined {
  const { uid, version } = parsedObject(metadata.annotations?.[annotations.givenUp]) ?? {};
  return uid === of && typeof version === 'string' ? asResourceVersion(version) : undefined;
}
