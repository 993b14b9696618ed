/** What was committed about one flow so far, as far as later writes are judged by it. */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';

export interface JobMemory {
  readonly name: string;
  readonly uid: string;
  readonly step: string;
  readonly attempt: number;
  isComplete: boolean;
  meetsCriteria: boolean;
  /** True time of the Failed condition, virtual milliseconds. */
  failedAtMs: number | undefined;
  /** Somebody, not the garbage collector alone, may have removed it before its end. */
  isDeleted: boolean;
  /** The API server has it no more. */
  isGone: boolean;
  /**
   * Created where nothing could fence it (see I1), and nobody waits for it: a second one of its
   * attempt, or one more after the end of the flow.
   */
  isStray: boolean;
}

export class FlowMemory {
  readonly uid: string;
  readonly jobs: JobMemory[] = [];
  manualRetries = 0;
  /** When the last of its Jobs ended; virtual milliseconds. */
  lastEndMs: number | undefined;

  constructor(uid: string) {
    this.uid = uid;
  }

  jobOf(uid: string): JobMemory | undefined {
    return this.jobs.find((job) => job.uid === uid);
  }

  attempt(step: string, attempt: number): JobMemory | undefined {
    return this.jobs.find((job) => job.step === step && job.attempt === attempt);
  }
}

export function jobMemory({ metadata }: KubeObject): JobMemory {
  return {
    name: metadata.name,
    uid: metadata.uid,
    step: metadata.labels?.[labels.step] ?? '',
    attempt: Number(metadata.labels?.[labels.attempt] ?? NaN),
    isComplete: false,
    meetsCriteria: false,
    failedAtMs: undefined,
    isDeleted: false,
    isGone: false,
    isStray: false,
  };
}

export function hasCondition({ status }: KubeObject, type: string): boolean {
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

export type StepRecord = NonNullable<NonNullable<JobFlow['status']>['jobStatusList']>[number];

export function recordsOf(flow: JobFlow | undefined): readonly StepRecord[] {
  return flow?.status?.jobStatusList ?? [];
}

export function isOver(state: string | undefined): boolean {
  return state === 'Succeed' || state === 'Failed' || state === 'Skipped';
}
