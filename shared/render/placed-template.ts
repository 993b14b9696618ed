import type { DaemonJobSpec } from '#shared/api/daemon-job.ts';
import type { PodTemplate } from '#shared/api/pod-template.ts';
import { withPodSetInfo } from './pod-sets.ts';

/**
 * The Pod of a DaemonJob with Kueue's placement; without a queue, as its template says. The same spec gives the same
 * Pod.
 */
export function placedTemplate(spec: DaemonJobSpec): PodTemplate {
  const [info] = spec.podSetInfos ?? [];
  if (info === undefined) return spec.template;
  let placed = known.get(spec);
  if (placed === undefined) {
    placed = withPodSetInfo(spec.template, info);
    known.set(spec, placed);
  }
  return placed;
}

const known = new WeakMap<DaemonJobSpec, PodTemplate>();
