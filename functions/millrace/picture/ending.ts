/** Pictures of flows and DaemonJobs share this: whether they have ended, when and how. */
import { parseTime } from '#shared/domain/time.ts';

export interface ObserverOptions {
  /** When the object began, on the observer's clock. */
  readonly startedMs: number;
  /**
   * False, the default: times are those of observation, finer than the API server's whole seconds. True: recorded
   * times, for an object that was not observed from its start. The observer's clock then has to be the time of day.
   */
  readonly recorded?: boolean;
}

/** When a change that is seen now happened. Undefined: it was not observed, and its time is not recorded. */
export type Dated = (recorded: string | undefined, nowMs: number) => number | undefined;

export function datedBy({ recorded = false }: ObserverOptions): Dated {
  return recorded ? (time) => parseTime(time) : (_, nowMs) => nowMs;
}

/** Whether and how an object has ended. */
export interface EndingPicture {
  readonly state: string;
  readonly isEnded: boolean;
  readonly hasFailed: boolean;
  readonly startedMs: number;
  readonly endedMs: number | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
}

interface EndingStatus {
  readonly state?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly completionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The end of one object, over all its pictures. */
export class Ending {
  readonly #startedMs: number;
  readonly #dated: Dated;
  #endedMs: number | undefined;

  constructor(options: ObserverOptions) {
    this.#startedMs = options.startedMs;
    this.#dated = datedBy(options);
  }

  of(status: EndingStatus | undefined, nowMs: number): EndingPicture {
    const isTrue = (wanted: string) =>
      status?.conditions?.some(({ type, status: is }) => type === wanted && is === 'True') === true;
    const isEnded = isTrue('Complete') || isTrue('Failed');
    if (isEnded) this.#endedMs ??= this.#dated(status?.completionTime, nowMs);
    return {
      state: status?.state ?? 'Pending',
      isEnded,
      hasFailed: isTrue('Failed'),
      startedMs: this.#startedMs,
      endedMs: isEnded ? this.#endedMs : undefined,
      reason: status?.reason,
      message: status?.message,
    };
  }
}
