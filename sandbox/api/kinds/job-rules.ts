/** Rules for a Job, and for changes of it (pkg/apis/batch/validation). */
import type { Json } from '#shared/domain/objects.ts';
import { invalid, notSupported, required } from '../../apimachinery/cause.ts';
import type { Draft } from '../draft.ts';
import { immutableFault } from '../metadata-rules.ts';
import { labelFault } from '../../apimachinery/names.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import { selectorFaults } from './job-selector.ts';
import type { JobSpec } from './job-spec.ts';
import { statusOf } from './job-status-rules.ts';
import { templateChangeFaults, templateFaults } from './job-template-rules.ts';
import { failurePolicyFaults } from './job-failure-policy.ts';

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

/** The Pod name of the last index must still be a valid host name. */
function podNameFaults({ metadata }: Draft, spec: JobSpec): readonly StatusCause[] {
  const { completionMode, completions = 0 } = spec;
  if (completionMode !== 'Indexed' || completions === 0) return [];
  const longest = `${metadata.name}-${completions - 1}`;
  if (labelFault(longest) === undefined) return [];
  const detail = `will not able to create pod with invalid DNS label: ${longest}`;
  return [invalid('metadata.name', metadata.name, detail)];
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
