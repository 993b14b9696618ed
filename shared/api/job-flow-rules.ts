/**
 * The rules on a JobFlow beyond its schema, in the words of the API server. `ruleFaults` says what
 * the CEL rules of the CRD say; `graphFaults` what CEL cannot: it cannot walk a graph, nor look into
 * a template that it carries whole. A test gives both to the same table of objects.
 */
import { findCycle } from '#shared/domain/dag.ts';
import { isReservedKey, prefix } from '#shared/domain/labels.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import { indexedNameFault, stepNameFault } from '#shared/domain/names.ts';
import { didYouMean, type Fault } from './fault.ts';
import { changedFrozenFields } from './frozen-spec.ts';
import type { GlobalParams } from './global-params.ts';
import type { JobFlow, JobFlowSpec } from './job-flow.ts';
import { isLabelValue, isQualifiedName } from './label-syntax.ts';
import type { JobSpec, Volume } from './pod-template.ts';
import type { Flow } from './step.ts';

/** Breaches of what the CRD's CEL rules say about one object. */
export function ruleFaults(flowName: string, spec: JobFlowSpec): readonly Fault[] {
  const names = new Set(spec.flows.map(({ name }) => name));
  return [
    ...globalParamsFaults(spec.globalParams ?? {}),
    ...spec.flows.flatMap((step, index) => {
      const path = `spec.flows[${index}]`;
      return [
        ...nameFaults(flowName, step, path),
        ...templateFaults(step, path),
        ...dependencyFaults(step, names, path),
        ...shareVolumeFaults(step, spec.shareVolumes ?? [], path),
      ];
    }),
  ];
}

/** Breaches that need a walk through the graph or a look into the templates. */
export function graphFaults(spec: JobFlowSpec): readonly Fault[] {
  const cycle = findCycle(
    new Map(spec.flows.map(({ name, dependencies }) => [name, dependencies ?? []])),
  );
  return [
    ...(cycle === undefined || cycle.length === 2
      ? []
      : [{ path: 'spec.flows', message: `the dependencies form a cycle: ${cycle.join(' -> ')}` }]),
    ...spec.flows.flatMap((step, index) =>
      templateVolumeFaults(spec, step, `spec.flows[${index}]`),
    ),
  ];
}

/** Changes that a started flow does not take. Both objects as the API server returns them. */
export function updateFaults(
  before: Pick<JobFlow, 'spec' | 'status'>,
  after: Pick<JobFlow, 'spec'>,
): readonly Fault[] {
  if (before.status?.startTime === undefined) return [];
  return changedFrozenFields(before.spec, after.spec).map((name) => ({
    path: `spec.${name}`,
    message: `${name} is frozen once the flow has started; make a new flow, or change suspend, ttlSecondsAfterFinished or failurePolicy`,
  }));
}

function globalParamsFaults({ labels, annotations, env = [] }: GlobalParams): readonly Fault[] {
  return [
    ...keyFaults(labels ?? {}, 'spec.globalParams.labels'),
    ...keyFaults(annotations ?? {}, 'spec.globalParams.annotations'),
    ...Object.entries(labels ?? {})
      .filter(([, value]) => !isLabelValue(value))
      .map(([key, value]) => ({
        path: 'spec.globalParams.labels',
        message: `${key}: "${value}" is not a valid label value`,
      })),
    ...env.flatMap(({ name, value, valueFrom }, index) =>
      valueFrom === undefined || value === undefined || value === ''
        ? []
        : [
            {
              path: `spec.globalParams.env[${index}]`,
              message: `${name}: set value or valueFrom, not both`,
            },
          ],
    ),
  ];
}

function keyFaults(map: Readonly<Record<string, string>>, path: string): readonly Fault[] {
  return Object.keys(map).flatMap((key) => [
    ...reservedKeyFault(key, path),
    ...(isQualifiedName(key) ? [] : [{ path, message: `"${key}" is not a valid key` }]),
  ]);
}

function reservedKeyFault(key: string, path: string): readonly Fault[] {
  if (!isReservedKey(key)) return [];
  return [{ path, message: `keys that start with ${prefix} are reserved, found ${key}` }];
}

function nameFaults(flowName: string, { name, jobTemplate }: Flow, path: string): readonly Fault[] {
  const { completionMode, completions } = jobTemplate ?? {};
  const fault =
    stepNameFault(flowName, name) ??
    (completionMode === 'Indexed' && completions !== undefined
      ? indexedNameFault(flowName, name, completions)
      : undefined);
  return fault === undefined ? [] : [{ path: `${path}.name`, message: fault }];
}

function templateFaults({ name, jobTemplate, jobTemplateRef }: Flow, path: string) {
  if (jobTemplate !== undefined && jobTemplateRef === undefined) {
    return podTemplateFaults(jobTemplate, `${path}.jobTemplate`);
  }
  if (jobTemplate === undefined && jobTemplateRef !== undefined) return [];
  const count = jobTemplate === undefined ? 'neither' : 'both';
  const message = `step "${name}" needs exactly one of jobTemplate and jobTemplateRef, found ${count}`;
  return [{ path, message }];
}

/** Shared with JobTemplate: no key of ours in the template of a Pod. */
export function podTemplateFaults({ template }: JobSpec, path: string): readonly Fault[] {
  const { labels, annotations } = template.metadata ?? {};
  const at = `${path}.template.metadata`;
  return [
    ...Object.keys(labels ?? {}).flatMap((key) => reservedKeyFault(key, `${at}.labels`)),
    ...Object.keys(annotations ?? {}).flatMap((key) => reservedKeyFault(key, `${at}.annotations`)),
  ];
}

function dependencyFaults(
  { name, dependencies = [] }: Flow,
  names: ReadonlySet<string>,
  path: string,
): readonly Fault[] {
  return dependencies.flatMap((dependency, index) => {
    const at = `${path}.dependencies[${index}]`;
    if (dependency === name) return [{ path: at, message: `step "${name}" depends on itself` }];
    if (names.has(dependency)) return [];
    const near = didYouMean(dependency, names);
    const hint = near === undefined ? '' : `; did you mean "${near}"?`;
    const message = `step "${name}" depends on "${dependency}", which is no step of this flow${hint}`;
    return [{ path: at, message }];
  });
}

function shareVolumeFaults(
  { name, shareVolumes = [] }: Flow,
  ofFlow: readonly Volume[],
  path: string,
): readonly Fault[] {
  return shareVolumes.flatMap((volume, index) => {
    const other = ofFlow.find((candidate) => candidate.name === volume.name);
    if (other === undefined || jsonEqual(other, volume)) return [];
    const message = `step "${name}" gives volume "${volume.name}" another source than spec.shareVolumes does`;
    return [{ path: `${path}.shareVolumes[${index}]`, message }];
  });
}

/** Volumes of the step's own Pod against the shared ones, and mounts without any volume. */
function templateVolumeFaults(spec: JobFlowSpec, step: Flow, path: string): readonly Fault[] {
  if (step.jobTemplate === undefined) return [];
  const own = volumesOf(step.jobTemplate);
  const shared = [...(spec.shareVolumes ?? []), ...(step.shareVolumes ?? [])];
  const names = new Set([...own, ...shared].map(({ name }) => name));
  const clashes = own.filter((volume) =>
    shared.some((other) => other.name === volume.name && !jsonEqual(other, volume)),
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

/** The schema does not look into `volumes`, so anything may stand there. */
function volumesOf({ template }: JobSpec): readonly Volume[] {
  const volumes: unknown = template.spec.volumes;
  if (!Array.isArray(volumes)) return [];
  return volumes.filter((volume: unknown): volume is Volume => {
    return typeof volume === 'object' && volume !== null && 'name' in volume;
  });
}
