/** Volumes of a step's own Pod compared with the shared ones (rule 8). */
import type { Fault } from './fault.ts';
import type { JobFlowSpec } from './job-flow.ts';
import type { JobSpec, Volume } from './pod-template.ts';
import { sameVolume } from './same-volume.ts';
import type { FlowStep } from './step.ts';

/** Conflicts between the step's own volumes and the shared ones, and mounts without a volume. */
export function podVolumeFaults(spec: JobFlowSpec, step: FlowStep, path: string): readonly Fault[] {
  if (step.jobTemplate === undefined) return [];
  const own = volumesOf(step.jobTemplate);
  const shared = [...(spec.shareVolumes ?? []), ...(step.shareVolumes ?? [])];
  const names = new Set([...own, ...shared].map(({ name }) => name));
  const clashes = own.filter((volume) =>
    shared.some((other) => other.name === volume.name && !sameVolume(other, volume)),
  );
  const mounts = [...(spec.shareVolumeMounts ?? []), ...(step.shareVolumeMounts ?? [])];
  return [
    ...clashes.map(({ name }) => ({
      path: `${path}.jobTemplate.template.spec.volumes`,
      message: `step "${step.name}" has its own volume "${name}" with another source than the shared one`,
    })),
    ...mounts
      .filter(({ name }) => !names.has(name))
      .map(({ name, mountPath }) => ({
        path,
        message: `step "${step.name}" has no volume "${name}" to mount at ${mountPath}`,
      })),
  ];
}

/** The schema does not check `volumes`, so its value may be anything. */
function volumesOf({ template }: JobSpec): readonly Volume[] {
  const volumes: unknown = template.spec.volumes;
  if (!Array.isArray(volumes)) return [];
  return volumes.filter((volume: unknown): volume is Volume => {
    return typeof volume === 'object' && volume !== null && 'name' in volume;
  });
}
