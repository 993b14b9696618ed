/** Rules for the status of a Job, and for changes of it (pkg/apis/batch/validation). */
import { invalid, required } from '../../apimachinery/cause.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import type { Draft } from '../draft.ts';
import type { JobSpec } from './job-spec.ts';

const specOf = ({ spec }: Draft): JobSpec => spec ?? {};

export interface JobStatus {
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

export const statusOf = ({ status }: Draft): JobStatus => status ?? {};

export const isTrue = ({ conditions = [] }: JobStatus, type: string): boolean =>
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

/** The API server leaves out the value in front of the text, too. */
function condition(detail: string): StatusCause {
  return {
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${detail}`,
    field: 'status.conditions',
  };
}
