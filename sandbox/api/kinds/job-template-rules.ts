/** Rules for the template of a Job, and for changes of it (pkg/apis/batch/validation). */
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import { notSupported, required } from '../../apimachinery/cause.ts';
import { omitting } from '../../apimachinery/json-value.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import { immutableFault, labelFaults } from '../metadata-rules.ts';
import type { JobSpec, JobTemplate } from './job-spec.ts';
import { isTrue, type JobStatus } from './job-status-rules.ts';
import { podSpecFaults } from './pod-spec-rules.ts';
import type { Container, PodSpec } from './pod-template-defaults.ts';

export function templateFaults({ metadata, spec = {} }: JobTemplate): readonly StatusCause[] {
  const faults: StatusCause[] = [
    ...labelFaults(metadata?.labels ?? {}, 'spec.template.labels'),
    ...podSpecFaults({ ...spec, restartPolicy: 'Never' }, 'spec.template.spec'),
  ];
  if (spec.restartPolicy === 'Always' || spec.restartPolicy === undefined) {
    faults.push(required('spec.template.spec.restartPolicy', 'valid values: "OnFailure", "Never"'));
  } else if (!['OnFailure', 'Never'].includes(spec.restartPolicy)) {
    faults.push(
      notSupported('spec.template.spec.restartPolicy', spec.restartPolicy, ['OnFailure', 'Never']),
    );
  }
  return faults;
}

/** Changes that a scheduler of suspended Jobs may make (KEP-2926), also after the Job has run (KEP-5440). */
export function templateChangeFaults(
  spec: JobSpec,
  before: JobSpec,
  status: JobStatus,
): readonly StatusCause[] {
  if (jsonEqual(spec.template, before.template)) return [];
  const { template = {} } = spec;
  if (!isOpen(before, status)) return immutableFault('spec.template', template, before.template);
  const allowed = withWhatMayChange(before.template?.spec ?? {}, template.spec ?? {});
  return [
    ...templateFaults(template),
    ...immutableFault('spec.template.spec', template.spec, allowed),
  ];
}

/** shouldAllowMutablePodTemplate: no Pod exists that would differ from the changed template. */
function isOpen({ suspend }: JobSpec, status: JobStatus): boolean {
  const { startTime, active = 0 } = status;
  const hasStopped = startTime === undefined || isTrue(status, 'Suspended');
  return suspend === true && hasStopped && active === 0;
}

function withWhatMayChange(old: PodSpec, next: PodSpec): PodSpec {
  return {
    ...old,
    nodeSelector: next['nodeSelector'],
    tolerations: next['tolerations'],
    schedulingGates: next['schedulingGates'],
    affinity: affinityOf(old['affinity'] as Affinity, next['affinity'] as Affinity),
    ...withResources('containers', old, next),
    ...withResources('initContainers', old, next),
  };
}

type Affinity = { readonly nodeAffinity?: object } | undefined;

/** Node affinity may change freely, Pod affinity not at all. */
function affinityOf(old: Affinity, next: Affinity): Affinity {
  const toNodes = next?.nodeAffinity;
  const toPods = omitting(old ?? {}, 'nodeAffinity');
  if (next === undefined && Object.keys(toPods).length === 0) return undefined;
  return { ...toPods, ...(toNodes === undefined ? {} : { nodeAffinity: toNodes }) };
}

function withResources(
  field: 'containers' | 'initContainers',
  old: PodSpec,
  next: PodSpec,
): Partial<PodSpec> {
  const [before, after] = [old[field], next[field]];
  if (before === undefined || before.length !== after?.length) return {};
  const containers = before.map((container, place): Container => {
    const { name, resources } = after[place] ?? {};
    if (name !== container.name) return container;
    return resources === undefined ? container : { ...container, resources };
  });
  return { [field]: containers };
}
