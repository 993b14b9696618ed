import { isObject } from '#shared/domain/json-value.ts';
import type { FlowStep, JobFlowSpec } from '#shared/api/job-flow.ts';
import type { JobSpec, Volume } from '#shared/api/pod-template.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { sameVolume } from '#shared/api/same-volume.ts';

/**
 * Why this template cannot be rendered, or undefined. Only parts that rendering reads are checked;
 * the API server judges the rest. A JobSpec is stored unpruned and may contain anything, and one bad
 * object must never stop the loop.
 */
export function templateFault(
  spec: JobFlowSpec,
  step: FlowStep,
  template: JobSpec,
): string | undefined {
  return shapeFault(template) ?? volumeFault(spec, step, template);
}

/** One name must mean one volume (rule 8). The steps' own templates were checked with the flow. */
function volumeFault(spec: JobFlowSpec, step: FlowStep, template: JobSpec): string | undefined {
  const shared = new Map<string, Volume>();
  for (const volume of [...(spec.shareVolumes ?? []), ...(step.shareVolumes ?? [])]) {
    shared.set(volume.name, volume);
  }
  const clash = (template.template.spec.volumes ?? []).find((volume) => {
    const other = shared.get(volume.name);
    return other !== undefined && !sameVolume(other, volume);
  });
  return clash === undefined
    ? undefined
    : `the template has its own volume "${clash.name}" with another source than the shared one`;
}

/** By template: thousands of steps may use one, and it may have thousands of variables. */
const judged = new WeakMap<object, { readonly fault: string | undefined }>();

/** Whether rendering can read it. */
export function shapeFault(template: Pick<JobSpec, 'template'>): string | undefined {
  let known = judged.get(template);
  if (known === undefined) {
    known = { fault: faultIn(template) };
    judged.set(template, known);
  }
  return known.fault;
}

function faultIn(template: Pick<JobSpec, 'template'>): string | undefined {
  const pod: unknown = fieldOf(fieldOf(template, 'template'), 'spec');
  if (!isObject(pod)) return 'template.spec is not an object';
  return (
    metadataFault(fieldOf(template.template, 'metadata')) ??
    containersFault('containers', pod['containers'] ?? null) ??
    containersFault('initContainers', pod['initContainers']) ??
    listFault('volumes', pod['volumes'])
  );
}

function metadataFault(metadata: unknown): string | undefined {
  if (metadata === undefined) return undefined;
  if (!isObject(metadata)) return 'template.metadata is not an object';
  const broken = ['labels', 'annotations'].find(
    (name) => metadata[name] !== undefined && !isObject(metadata[name]),
  );
  return broken === undefined ? undefined : `template.metadata.${broken} is not an object`;
}

function containersFault(name: string, containers: unknown): string | undefined {
  const fault = listFault(name, containers);
  if (fault !== undefined || containers === undefined) return fault;
  for (const container of containers as readonly Readonly<Record<string, unknown>>[]) {
    const inner =
      listFault(`${name}[].env`, container['env']) ??
      listFault(`${name}[].volumeMounts`, container['volumeMounts']);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function listFault(name: string, list: unknown): string | undefined {
  if (list === undefined) return undefined;
  const isList = Array.isArray(list) && list.every(isObject);
  return isList ? undefined : `template.spec.${name} is not a list of objects`;
}

function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) ? ownMember(value, name) : undefined;
}
