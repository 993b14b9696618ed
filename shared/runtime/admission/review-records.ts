import type { Counter, Registry } from 'prom-client';
import type { ReviewRecord, ReviewRecorder } from '#shared/admission/review-record.ts';
import { counterOf, metric } from '#shared/runtime/process/metric.ts';
import { InFlightGate } from '../http/in-flight-gate.ts';
import type { Logger } from '../process/telemetry.ts';

export interface ReviewRecordsOptions {
  readonly recorder: ReviewRecorder;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly registry: Registry;
  /** Records on their way at once, and the bytes of their reviews; one more is dropped. */
  readonly limits?: { readonly records: number; readonly bytes: number };
}

const defaultLimits = { records: 256, bytes: 32 * 1024 * 1024 };

/**
 * Records reviews that are answered already. A recorder that fails or does not answer costs records,
 * which are counted, and a bounded amount of memory; no review waits for it.
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

  /** `bytes`: of the review as it came. The record is made only when there is room for it. */
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

  /** Logs where an outage begins and ends, not each record of it. */
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
