/** An observer's picture of one flow, as plain data: each step's state, since when, and why. */
import { withAllRecords } from '#shared/api/step-records.ts';
import type { JobFlow, StepRecord, StepState } from '#shared/api/job-flow.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { KubeObject, Uid } from '#shared/domain/objects.ts';
import { type Dated, datedBy, Ending, type EndingPicture, type ObserverOptions } from './ending.ts';

export interface StepPicture {
  readonly name: string;
  readonly state: StepState;
  readonly dependencies: readonly string[];
  /** When its Job was first observed, milliseconds on the observer's clock. */
  readonly startedMs: number | undefined;
  readonly endedMs: number | undefined;
  readonly cause: Cause | undefined;
  readonly attempt: number;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly jobName: string | undefined;
}

/** The event that started a step: its object and version. */
export interface Cause {
  /** A step of this flow, or the flow itself. */
  readonly of: 'step' | 'flow';
  readonly name: string;
  readonly resourceVersion: string;
}

export interface FlowPicture extends EndingPicture {
  readonly name: string;
  readonly steps: readonly StepPicture[];
  /** For example `2 of 3`. Absent: counted from the steps. */
  readonly progress?: string;
}

const startedStates: readonly StepState[] = [
  'Pending',
  'Running',
  'Suspended',
  'Succeed',
  'Failed',
];
const endedStates: readonly StepState[] = ['Succeed', 'Failed', 'Skipped'];

/** Turns observations of a flow into pictures. */
export class FlowObserver {
  readonly #dated: Dated;
  readonly #ending: Ending;
  readonly #seen = new Map<
    string,
    { started?: number | undefined; ended?: number | undefined; cause?: Cause }
  >();

  constructor(options: ObserverOptions) {
    this.#dated = datedBy(options);
    this.#ending = new Ending(options);
  }

  picture(flow: JobFlow, jobs: Iterable<KubeObject>, nowMs: number): FlowPicture {
    const status = flow.status && withAllRecords(flow.metadata, flow.spec.flows, flow.status);
    const recorded = new Map(status?.jobStatusList?.map((entry) => [entry.name, entry]));
    const jobsByName = new Map([...jobs].map((job) => [job.metadata.name, job]));
    const owners = ownersOf(flow, status?.jobStatusList ?? []);
    return {
      name: flow.metadata.name,
      ...this.#ending.of(status, nowMs),
      steps: flow.spec.flows.map(({ name, dependencies = [] }) => {
        const record = recorded.get(name);
        const job = jobsByName.get(record?.jobName ?? '');
        return this.#step(name, dependencies, record, causeOf(job, owners), nowMs);
      }),
    };
  }

  #step(
    name: string,
    dependencies: readonly string[],
    record: StepRecord | undefined,
    cause: Cause | undefined,
    nowMs: number,
  ): StepPicture {
    const state = record?.state ?? 'Waiting';
    const attempt = record?.attempt ?? 0;
    const key = `${name}/${attempt}`;
    const seen = this.#seen.get(key) ?? {};
    if (startedStates.includes(state)) seen.started ??= this.#dated(record?.startTime, nowMs);
    if (endedStates.includes(state)) seen.ended ??= this.#dated(record?.completionTime, nowMs);
    // Kept, because a finished Job may be deleted before the flow ends.
    if (cause !== undefined) seen.cause ??= cause;
    this.#seen.set(key, seen);
    return {
      ...{ name, state, dependencies, attempt },
      startedMs: seen.started,
      endedMs: seen.ended,
      cause: seen.cause,
      reason: record?.reason,
      message: record?.message,
      jobName: record?.jobName,
    };
  }
}

type Owner = Pick<Cause, 'of' | 'name'>;

function ownersOf(flow: JobFlow, records: readonly StepRecord[]): ReadonlyMap<Uid, Owner> {
  const steps = records.flatMap(({ name, jobUID }): readonly (readonly [Uid, Owner])[] =>
    jobUID === undefined ? [] : [[jobUID as Uid, { of: 'step', name }]],
  );
  return new Map([[flow.metadata.uid, { of: 'flow', name: flow.metadata.name }], ...steps]);
}

/** From the event id (`<uid>.<resourceVersion>`) that its Job is annotated with. */
function causeOf(job: KubeObject | undefined, owners: ReadonlyMap<Uid, Owner>): Cause | undefined {
  const id = job?.metadata.annotations?.[annotations.causedBy];
  const [uid, resourceVersion] = id?.split('.') ?? [];
  const owner = owners.get(uid as Uid);
  return owner === undefined || resourceVersion === undefined
    ? undefined
    : { ...owner, resourceVersion };
}
