import type { Counter, Registry } from 'prom-client';
import type { ReviewRecord, ReviewRecorder } from '#shared/admission/review-record.ts';
import { counterOf, metric } from '#shared/runtime/process/metric.ts';
import { InFlightGate } from '../http/in-flight-gate.ts';
import type { Logger } from '../process/telemetry.ts';

export interface ReviewRecordsOptions {
  readonly recorder: ReviewRecorder;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly registry: Registry;
  /** Most records in progress, and bytes of their reviews. Further ones are dropped. */
  readonly limits?: { readonly records: number; readonly bytes: number };
}

const defaultLimits = { records: 256, bytes: 32 * 1024 * 1024 };

/**
 * Records answered reviews. If a recorder fails or does not answer, records are lost and counted,
 * memory stays bounded, and no review waits.
 */
export const reviewRecordMetrics = {
  lost: metric({
    name: 'millrace_review_records_lost_total',
    type: 'counter',
    unit: 'number',
    by: 'admissions',
    says: 'Reviews that were answered and not recorded, by reason: full, failed.',
    next: '`failed`: look at Redis. `full`: more reviews come than Redis takes. The reviews themselves were answered.',
    labels: { reason: ['full', 'failed'] },
  }),
};

export class ReviewRecords {
  readonly #options: ReviewRecordsOptions;
  readonly #limits: { readonly records: number; readonly bytes: number };
  readonly #underWay: InFlightGate;
  readonly #lost: Counter<'reason'>;
  #bytes = 0;
  #isFailing = false;

  constructor(options: ReviewRecordsOptions) {
    this.#options = options;
    this.#limits = options.limits ?? defaultLimits;
    this.#underWay = new InFlightGate(this.#limits.records);
    this.#lost = counterOf(reviewRecordMetrics.lost, options.registry);
  }

  /** `bytes`: size of the received review. The record is made only if there is space for it. */
  take(bytes: number, make: () => ReviewRecord): void {
    const isTooMuch = this.#bytes + bytes > this.#limits.bytes;
    const release = isTooMuch ? undefined : this.#underWay.tryEnter();
    if (release === undefined) {
      this.#lost.inc({ reason: 'full' });
      return;
    }
    this.#bytes += bytes;
    void this.#record(make).finally(() => {
      this.#bytes -= bytes;
      release();
    });
  }

  /** True when everything is recorded before `limitMs` milliseconds have passed. */
  idleWithin(limitMs: number): Promise<boolean> {
    return this.#underWay.idleWithin(limitMs);
  }

  /** Logs the begin and end of an outage, not each record. */
  async #record(make: () => ReviewRecord): Promise<void> {
    const { recorder, logger } = this.#options;
    try {
      await recorder.record(make());
      if (this.#isFailing) logger.info({}, 'reviews are recorded again');
      this.#isFailing = false;
    } catch (error) {
      this.#lost.inc({ reason: 'failed' });
      if (!this.#isFailing) logger.warn({ err: error }, 'reviews are not recorded');
      this.#isFailing = true;
    }
  }
}
