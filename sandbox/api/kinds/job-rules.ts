/** What a Job must be and what of it may change (pkg/apis/batch/validation). */
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { Json } from '#shared/domain/objects.ts';
import { invalid, notSupported, required } from '../../apimachinery/cause.ts';
import type { Draft } from '../draft.ts';
import { immutableFault, labelFaults } from '../metadata-rules.ts';
import { hasLabels } from '../../apimachinery/label-selector.ts';
import { labelFault } from '../../apimachinery/names.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import type { JobSpec, JobTemplate } from './job-spec.ts';
import { failurePolicyFaults } from './job-failure-policy.ts';
import { podSpecFaults } from './pod-spec-rules.ts';

const specOf = ({ spec }: Draft): JobSpec => spec ?? {};

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;

const highestIndexedParallelism = 100_000;

export function jobFaults(object: Draft, isCreate: boolean): readonly StatusCause[] {
  const spec = specOf(object);
  return [
    ...selectorFaults(object, spec),
    ...countFaults(spec),
    ...modeFaults(spec),
    ...failurePolicyFaults(spec),
    ...(isCreate ? [...podNameFaults(object, spec), ...templateFaults(spec.template ?? {})] : []),
  ];
}

/** The name of the last index must still be one of a host. */
function podNameFaults({ metadata }: Draft, spec: JobSpec): readonly StatusCause[] {
  const { completionMode, completions = 0 } = spec;
  if (completionMode !== 'Indexed' || completions === 0) return [];
  const longest = `${metadata.name}-${completions - 1}`;
  if (labelFault(longest) === undefined) return [];
  const detail = `will not able to create pod with invalid DNS label: ${longest}`;
  return [invalid('metadata.name', metadata.name, detail)];
}

function selectorFaults({ metadata }: Draft, spec: JobSpec): readonly StatusCause[] {
  if (spec.manualSelector === true && spec.selector === undefined)
    return [required('spec.selector')];
  const { selector, template } = spec;
  const faults: StatusCause[] = [];
  const matchLabels = selector?.matchLabels ?? {};
  const own = { 'batch.kubernetes.io/controller-uid': metadata.uid };
  if (spec.manualSelector !== true && !jsonEqual(matchLabels, own)) {
    faults.push(invalid('spec.selector', selector, '`selector` not auto-generated'));
  }
  const labels = template?.metadata?.labels ?? {};
  if (!hasLabels(matchLabels, labels)) {
    const detail = '`selector` does not match template `labels`';
    faults.push(invalid('spec.template.metadata.labels', labels, detail));
  }
  return faults;
}

function countFaults(spec: JobSpec): readonly StatusCause[] {
  return counts.flatMap((field) => {
    const value = spec[field];
    if (value === undefined || value >= 0) return [];
    return [invalid(`spec.${field}`, value, 'must be greater than or equal to 0')];
  });
}

function modeFaults(spec: JobSpec): readonly StatusCause[] {
  const { completionMode, completions, parallelism = 1, backoffLimitPerIndex } = spec;
  const modes = ['NonIndexed', 'Indexed'];
  if (completionMode !== undefined && !modes.includes(completionMode)) {
    return [notSupported('spec.completionMode', completionMode, modes)];
  }
  const isIndexed = completionMode === 'Indexed';
  const faults: StatusCause[] = [];
  if (isIndexed && completions === undefined) {
    faults.push(required('spec.completions', 'when completion mode is Indexed'));
  }
  if (isIndexed && parallelism > highestIndexedParallelism) {
    const detail = `must be less than or equal to ${highestIndexedParallelism} when completion mode is Indexed`;
    faults.push(invalid('spec.parallelism', parallelism, detail));
  }
  if (!isIndexed && backoffLimitPerIndex !== undefined) {
    const detail = 'requires indexed completion mode';
    faults.push(invalid('spec.backoffLimitPerIndex', backoffLimitPerIndex, detail));
  }
  if (spec.maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    faults.push(required('spec.backoffLimitPerIndex', 'when maxFailedIndexes is specified'));
  }
  if (spec.successPolicy !== undefined && !isIndexed) {
    faults.push(
      invalid('spec.successPolicy', spec.successPolicy as Json, 'requires indexed completion mode'),
    );
  }
  return faults;
}

function templateFaults({ metadata, spec = {} }: JobTemplate): readonly StatusCause[] {
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

interface JobStatus {
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

const statusOf = ({ status }: Draft): JobStatus => status ?? {};

/** ValidateJobUpdate. */
export function jobChangeFaults(object: Draft, old: Draft): readonly StatusCause[] {
  const [spec, before] = [specOf(object), specOf(old)];
  if (spec === before) return [];
  return [
    ...completionsFaults(spec, before),
    ...immutableFault('spec.selector', spec.selector, before.selector),
    ...templateChangeFaults(spec, before, statusOf(old)),
    ...immutableFault('spec.completionMode', spec.completionMode, before.completionMode),
    ...immutableFault('spec.podFailurePolicy', spec.podFailurePolicy, before.podFailurePolicy),
    ...immutableFault(
      'spec.backoffLimitPerIndex',
      spec.backoffLimitPerIndex,
      before.backoffLimitPerIndex,
    ),
    ...immutableFault('spec.managedBy', spec.managedBy, before.managedBy),
    ...immutableFault('spec.successPolicy', spec.successPolicy, before.successPolicy),
  ];
}

/** An indexed Job may be resized as long as completions and parallelism stay equal (KEP-3715). */
function completionsFaults(spec: JobSpec, before: JobSpec): readonly StatusCause[] {
  if (spec.completions === before.completions) return [];
  const isElastic =
    spec.completionMode === 'Indexed' &&
    spec.completions !== undefined &&
    spec.completions === spec.parallelism;
  if (isElastic) return [];
  if (spec.completionMode !== 'Indexed') {
    return immutableFault('spec.completions', spec.completions, before.completions);
  }
  const detail = `can only be modified in tandem with spec.parallelism`;
  return [invalid('spec.completions', spec.completions ?? null, detail)];
}

/** What a scheduler of suspended Jobs may set (KEP-2926). */
const schedulingFields = ['nodeSelector', 'affinity', 'tolerations', 'schedulingGates'];

function templateChangeFaults(
  spec: JobSpec,
  before: JobSpec,
  status: JobStatus,
): readonly StatusCause[] {
  if (jsonEqual(spec.template, before.template)) return [];
  const isHeld = before.suspend === true && status.startTime === undefined;
  if (!isHeld) return immutableFault('spec.template', spec.template, before.template);
  const rest = ({ spec: podSpec }: JobTemplate = {}): object => ({
    ...podSpec,
    ...Object.fromEntries(schedulingFields.map((field) => [field, undefined])),
  });
  return immutableFault('spec.template.spec', rest(spec.template), rest(before.template));
}

const isTrue = ({ conditions = [] }: JobStatus, type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === 'True');

/** ValidateJobUpdateStatus, with JobStatusValidation (KEP-3998): a Job ends once and in order. */
export function jobStatusFaults(object: Draft, old: Draft): readonly StatusCause[] {
  const [status, before] = [statusOf(object), statusOf(old)];
  const faults: StatusCause[] = [];
  const { active = 0, startTime, completionTime } = status;
  const isComplete = isTrue(status, 'Complete');
  for (const count of ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const) {
    const value = status[count] ?? 0;
    if (value >= 0) continue;
    faults.push(invalid(`status.${count}`, value, 'must be greater than or equal to 0'));
  }
  const isFailed = isTrue(status, 'Failed');
  if (isComplete && completionTime === undefined) {
    faults.push(required('status.completionTime', 'completionTime is required for Complete jobs'));
  }
  const isFinishing = !isTrue(before, 'Complete') && !isTrue(before, 'Failed');
  if ((isComplete || isFailed) && isFinishing && startTime === undefined) {
    faults.push(required('status.startTime', 'startTime is required for finished job'));
  }
  if (isComplete && !isTrue(status, 'SuccessCriteriaMet')) {
    faults.push(
      condition('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'),
    );
  }
  if (isFailed && !isTrue(before, 'Failed') && !isTrue(status, 'FailureTarget')) {
    faults.push(
      condition('cannot set Failed=True condition without the FailureTarget=true condition'),
    );
  }
  if (isComplete && isFailed) {
    faults.push(condition('cannot set both Complete=True and Failed=true conditions'));
  }
  for (const type of ['Complete', 'Failed']) {
    if (isTrue(before, type) && !isTrue(status, type)) {
      faults.push(condition(`cannot disable the terminal ${type}=True condition`));
    }
  }
  if ((isComplete || isFailed) && active > 0) {
    faults.push(invalid('status.active', active, 'active>0 is invalid for finished job'));
  }
  const isRunning = specOf(object).suspend !== true && before.startTime !== undefined;
  if (isRunning && startTime !== before.startTime) {
    const detail =
      startTime === undefined
        ? 'startTime cannot be removed for unsuspended job'
        : 'field is immutable for unsuspended job once set';
    faults.push(
      startTime === undefined
        ? required('status.startTime', detail)
        : invalid('status.startTime', startTime, detail),
    );
  }
  if (before.completionTime !== undefined && completionTime !== before.completionTime) {
    faults.push(invalid('status.completionTime', completionTime ?? null, 'field is immutable'));
  }
  return faults;
}

/** As the API server, without the value in front of the text. */
function condition(detail: string): StatusCause {
  return {
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${detail}`,
    field: 'status.conditions',
  };
}
