/** The commits about one flow, as far as later writes are judged by them. */
import type { JobFlow, StepRecord } from '#shared/api/job-flow.ts';
import { labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { whole } from '../model/whole-status.ts';
import type { Life } from '../world/timeline.ts';
import { parseTime } from '#shared/domain/time.ts';

export interface JobMemory {
  readonly name: string;
  readonly uid: string;
  readonly step: string;
  readonly attempt: number;
  isComplete: boolean;
  meetsCriteria: boolean;
  /** When it was committed, in virtual milliseconds. */
  readonly createdAtMs: number;
  /** Undefined: not a process of Millrace. */
  readonly creator: Life | undefined;
  /** When its success was committed, in virtual milliseconds. */
  completedAtMs: number | undefined;
  /** When its failure was committed, in virtual milliseconds. */
  failedAtMs: number | undefined;
  /** The time of its Failed condition from the controller, in milliseconds since the epoch. */
  failedStampMs: number | undefined;
  /** It may have been deleted before its end, not only by the garbage collector. */
  isDeleted: boolean;
  /** When it was gone from the API server, in virtual milliseconds. */
  goneAtMs: number | undefined;
  /**
   * Created in the unfenced time (see I1) and not awaited: a second Job of its attempt, or one after the flow's
   * end was decided.
   */
  isStray: boolean;
  /** Created in the unfenced time after its flow was suspended, until a pass suspends it. */
  isLate: boolean;
}

export class FlowMemory {
  readonly uid: string;
  readonly jobs: JobMemory[] = [];
  manualRetries = 0;
  /** The latest decision time for creating a Job of this name, in milliseconds since the epoch. */
  readonly decidedMs = new Map<string, number>();
  /**
   * The end times of its Jobs from the controller, in milliseconds since the epoch, in the order of the ends.
   */
  readonly ends: { readonly job: JobMemory; readonly stampMs: number | undefined }[] = [];
  /**
   * The time of the first decision after that which wrote the flow's end, in milliseconds since the epoch. If
   * no Job gives an end, this one is written, by the server's clock.
   */
  endDecidedMs: number | undefined;

  constructor(uid: string) {
    this.uid = uid;
  }

  /** Of the last awaited Job. */
  get lastEndStampMs(): number | undefined {
    return this.ends.findLast(({ job }) => !job.isStray)?.stampMs;
  }

  jobOf(uid: string): JobMemory | undefined {
    return this.jobs.find((job) => job.uid === uid);
  }

  attempt(step: string, attempt: number): JobMemory | undefined {
    return this.jobs.find((job) => job.step === step && job.attempt === attempt);
  }
}

export function jobMemory(
  { metadata }: KubeObject,
  createdAtMs: number,
  creator?: Life,
): JobMemory {
  return {
    name: metadata.name,
    uid: metadata.uid,
    step: metadata.labels?.[labels.step] ?? '',
    attempt: Number(metadata.labels?.[labels.attempt] ?? NaN),
    isComplete: false,
    meetsCriteria: false,
    createdAtMs,
    creator,
    completedAtMs: undefined,
    failedAtMs: undefined,
    failedStampMs: undefined,
    isDeleted: false,
    goneAtMs: undefined,
    isStray: false,
    isLate: false,
  };
}

export function hasCondition(object: KubeObject, type: string): boolean {
  return conditionOf(object, type) !== undefined;
}

/** When the condition turned true according to its writer, in milliseconds since the epoch. */
export function conditionStampMs(object: KubeObject, type: string): number | undefined {
  return parseTime(conditionOf(object, type)?.lastTransitionTime);
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

function conditionOf({ status }: KubeObject, type: string): Condition | undefined {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
  return conditions.find((condition) => condition.type === type && condition.status === 'True');
}

export function recordsOf(flow: JobFlow | undefined): readonly StepRecord[] {
  return flow === undefined ? [] : (whole(flow).status?.jobStatusList ?? []);
}

export function isOver(state: string | undefined): boolean {
  return state === 'Succeed' || state === 'Failed' || state === 'Skipped';
}
