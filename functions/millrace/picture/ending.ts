/** What flows and DaemonJobs have alike in a picture: whether they have ended, when and how. */
import { parseTime } from '#shared/domain/time.ts';

export interface ObserverOptions {
  /** When the object began, on the clock of the pictures. */
  readonly startedMs: number;
  /**
   * Default: times are those of seeing, which is finer than the whole seconds of the API server. True: as they are on
   * record, for what was not seen from its start; the clock of the pictures is then that of the day.
   */
  readonly recorded?: boolean;
}

/** When something happened that is seen now. Undefined: it was not seen, and its time is not on record. */
export type Dated = (recorded: string | undefined, nowMs: number) => number | undefined;

export function datedBy({ recorded = false }: ObserverOptions): Dated {
  return recorded ? (time) => parseTime(time) : (_, nowMs) => nowMs;
}

/** Whether and how an object has ended, as pictures have it. */
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

/** Of one object, over all its pictures. */
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
