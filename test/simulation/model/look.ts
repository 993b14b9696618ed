/** The state that one decision about a flow saw: objects as committed, not as observe parses them. */
import type { FlowStep, JobFlow, JobFlowSpec, StepRecord } from '#shared/api/job-flow.ts';
import type { JobSpec } from '#shared/api/pod-template.ts';
import type { KubeObject } from '#shared/domain/objects.ts';

/** Events by the uid of their Job. A missing Job was not asked about. */
export type EventsOfJobs = ReadonlyMap<string, readonly KubeObject[]>;

export interface SeenTemplate {
  readonly uid: string;
  readonly generation: number;
  /** As the decision read it, or as pinned. Only equality has a meaning. */
  readonly hash: string;
  readonly jobTemplate: JobSpec;
}

export interface Look {
  readonly flow: JobFlow;
  /** The flow's spec at its start. Undefined before the start. */
  readonly startedWith: JobFlowSpec | undefined;
  /** Jobs of the flow by name. */
  readonly jobs: ReadonlyMap<string, KubeObject>;
  /** Pods of doubtful Jobs. Undefined: not read, or not permitted. */
  readonly pods: readonly KubeObject[] | undefined;
  readonly events: EventsOfJobs;
  /** When it began to read, by the API server's time in milliseconds since the epoch. */
  readonly beganAtMs: number;
  /** Recorded or observed Jobs that are certainly gone. */
  readonly gone: ReadonlySet<string>;
  /** A Job that is removed before the status records it is in `gone`. */
  readonly noticesRemovals: boolean;
  /** Many decisions were running. */
  readonly isUnderLoad: boolean;
  /** Null: no JobTemplate has this name. Missing: it was not looked up. */
  readonly templates: ReadonlyMap<string, SeenTemplate | null>;
  /** Names of Jobs that the API server refused, with the reasons. */
  readonly refused: ReadonlyMap<string, string>;
  /** The decision on this same state created some of them. */
  readonly wasJustRefused: boolean;
  /** The API server's time in milliseconds since the epoch. */
  readonly atMs: number;
}

/** An entry of `status.jobStatusList`. Its message may use other words, but must contain these. */
export interface Predicted extends Omit<StepRecord, 'message'> {
  readonly mentions?: readonly string[];
}

export interface Step {
  readonly spec: FlowStep;
  readonly predicted: Predicted;
  /** The Job of the recorded attempt. */
  readonly job?: KubeObject | undefined;
}

export function recordOf({ flow }: Pick<Look, 'flow'>, step: string): StepRecord | undefined {
  return flow.status?.jobStatusList?.find(({ name }) => name === step);
}

/** Times of the API have whole seconds. */
export function stamp(ms: number): string {
  return `${new Date(Math.floor(ms / 1_000) * 1_000).toISOString().slice(0, 19)}Z`;
}

/** Milliseconds since the epoch; NaN without a time. */
export function msOf(time: string | undefined): number {
  return time === undefined ? NaN : Date.parse(time);
}

/** The entry without these fields. */
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

export function isWaiting({ state }: Pick<Predicted, 'state'>): boolean {
  return state === 'Waiting' || state === 'Blocked';
}

export function isOver({ state }: Pick<Predicted, 'state'>): boolean {
  return state === 'Succeed' || state === 'Failed' || state === 'Skipped';
}
