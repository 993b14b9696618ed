/** What one decision about a flow had in sight. Objects as they were committed, not as observe reads them. */
import type { FlowStep, JobFlow, JobFlowSpec, StepRecord } from '#shared/api/job-flow.ts';
import type { JobSpec } from '#shared/api/pod-template.ts';
import type { KubeObject } from '#shared/domain/objects.ts';

/** Events by the uid of the Job that they are about. A Job that is not in it was not asked about. */
export type EventsOfJobs = ReadonlyMap<string, readonly KubeObject[]>;

export interface SeenTemplate {
  readonly uid: string;
  readonly generation: number;
  /** As the decision read it, or as it was pinned: only whether two are equal means anything. */
  readonly hash: string;
  readonly jobTemplate: JobSpec;
}

export interface Look {
  readonly flow: JobFlow;
  /** The spec that the flow was started with; undefined before its start. */
  readonly startedWith: JobFlowSpec | undefined;
  /** Jobs of the flow by name. */
  readonly jobs: ReadonlyMap<string, KubeObject>;
  /** Pods of the Jobs in doubt; undefined: not looked at, or nobody may. */
  readonly pods: readonly KubeObject[] | undefined;
  readonly events: EventsOfJobs;
  /** Jobs on record, or seen once, that are certainly no more. */
  readonly gone: ReadonlySet<string>;
  /** A Job that went before the record tells of it is in `gone`. */
  readonly noticesRemovals: boolean;
  /** Many decisions were under way. */
  readonly isUnderLoad: boolean;
  /** Null: there is none of this name. A name that was not looked for is not in it. */
  readonly templates: ReadonlyMap<string, SeenTemplate | null>;
  /** Names of Jobs that the API server would not create, and why. */
  readonly refused: ReadonlyMap<string, string>;
  /** Some of them were asked for by the decision on this same look. */
  readonly wasJustRefused: boolean;
  /** The API server's time, milliseconds since the epoch. */
  readonly atMs: number;
}

/** An entry of `status.jobStatusList`; its message in other words, but with these in it. */
export interface Told extends Omit<StepRecord, 'message'> {
  readonly mentions?: readonly string[];
}

export interface Step {
  readonly spec: FlowStep;
  readonly told: Told;
  /** The Job of the attempt that is told of. */
  readonly job?: KubeObject | undefined;
}

export function recordOf({ flow }: Pick<Look, 'flow'>, step: string): StepRecord | undefined {
  return flow.status?.jobStatusList?.find(({ name }) => name === step);
}

/** Times of the API have whole seconds. */
export function stamp(ms: number): string {
  return `${new Date(Math.floor(ms / 1_000) * 1_000).toISOString().slice(0, 19)}Z`;
}

/** Milliseconds since the epoch; NaN where there is no time. */
export function msOf(time: string | undefined): number {
  return time === undefined ? NaN : Date.parse(time);
}

/** The entry without what it says besides its state. */
export function without<Entry extends object, Field extends keyof Entry>(
  entry: Entry,
  ...fields: readonly Field[]
): Omit<Entry, Field> {
  const rest = {} as Entry;
  for (const field of Object.keys(entry) as (keyof Entry)[]) {
    if (!(fields as readonly (keyof Entry)[]).includes(field)) rest[field] = entry[field];
  }
  return rest;
}

export function isWaiting({ state }: Pick<Told, 'state'>): boolean {
  return state === 'Waiting' || state === 'Blocked';
}

export function isOver({ state }: Pick<Told, 'state'>): boolean {
  return state === 'Succeed' || state === 'Failed' || state === 'Skipped';
}
