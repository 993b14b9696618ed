/**
 * Does the DaemonJob end by this decision? An end is final, so it rests on the API server's nodes: a node that an
 * outdated view lacks would never run.
 */
import type { DaemonJobStatus } from '#shared/api/daemon-job.ts';
import type { Decision } from '#shared/domain/decision.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { statusPatchOf } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';

export function restsOnAll(_: unknown, { plan }: Decision): Resource | undefined {
  const { state, completionTime }: DaemonJobStatus = statusPatchOf(plan) ?? {};
  const ends = state === 'Succeed' || state === 'Failed' || typeof completionTime === 'string';
  return ends ? resources.Node : undefined;
}
