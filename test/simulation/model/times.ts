/** If all clocks are right, recorded times are in the order of their events. */
import type { JobFlow, StepRecord } from '#shared/api/job-flow.ts';
import { msOf, stamp } from './look.ts';
import { lastEnd } from './flow-state.ts';
import { isLong } from './whole-status.ts';

/** A long flow does not record the end of each step. */
export function timeFaults(flow: JobFlow): readonly string[] {
  const { spec, status = {} } = flow;
  const records = status.jobStatusList ?? [];
  const faults = records.flatMap(({ name, startTime, completionTime }) => {
    const step = spec.flows.find((each) => each.name === name);
    const early = step?.startOn === 'SuccessCriteriaMet';
    const before = records.filter(
      (other) => !early && step?.dependencies?.includes(other.name) === true,
    );
    return [
      ...ordered(
        'the start of the flow',
        aSecondBefore(status.startTime),
        `the start of ${name}`,
        startTime,
      ),
      ...ordered(`the start of ${name}`, startTime, `its end`, completionTime),
      ...before
        .filter((other) => !isRepeated(other, startTime))
        .flatMap((other) =>
          ordered(
            `the end of ${other.name}`,
            other.completionTime,
            `the start of ${name}`,
            startTime,
          ),
        ),
    ];
  });
  const end = isLong(flow) ? undefined : lastEnd(records);
  const isTheLast =
    end === undefined || status.completionTime === undefined || status.completionTime === end;
  return isTheLast
    ? faults
    : [...faults, `the flow ended at ${status.completionTime}, its last step at ${end}`];
}

/**
 * A Job that ended and was deleted before its end was recorded runs again, even if an unseen dependant has
 * started. Each start is judged when it happens (created-job.ts).
 */
function isRepeated({ attempt = 0, startTime }: StepRecord, dependantStart?: string): boolean {
  if (attempt === 0 || startTime === undefined || dependantStart === undefined) return false;
  return dependantStart < startTime;
}

/** The API server's time has whole seconds. */
function aSecondBefore(time: string | undefined): string | undefined {
  return time === undefined ? undefined : stamp(msOf(time) - 1_000);
}

function ordered(first: string, from: string | undefined, second: string, to: string | undefined) {
  const isWrong = from !== undefined && to !== undefined && from > to;
  return isWrong ? [`${first} at ${from} is after ${second} at ${to}`] : [];
}
