import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '#shared/admission/admission.ts';
import { answerReview, type AnsweredReview } from '#shared/admission/answer-review.ts';
import { readReview } from '#shared/admission/review-request.ts';
import { reviewRecord } from '#shared/admission/review-record.ts';
import type { WaitingClock } from '#shared/domain/clock.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import type { Inquiry } from '#shared/kube/inquiry.ts';
import type { AdmissionMetrics } from './admission-metrics.ts';
import { neverShed } from '../http/http-server.ts';
import type { WorkingService } from '../http/working-service.ts';
import { reviewFailure, sendFailure } from './review-failure.ts';
import type { ReviewTokens } from './review-token.ts';
import type { ReviewRecords } from './review-records.ts';
import type { Logger } from '../process/telemetry.ts';

export interface AdmissionRouteOptions {
  readonly cluster: Inquiry;
  readonly clock: WaitingClock;
  readonly logger: Logger;
  readonly version: string;
  readonly service: WorkingService;
  readonly budgetMs: number;
  readonly tokens: ReviewTokens;
  readonly reviews: AdmissionMetrics;
  /** Absent: reviews are not recorded. */
  readonly records?: ReviewRecords;
}

/** `POST /<token>/<name>`: one AdmissionReview in, one out. */
export function registerAdmissionRoute(admission: Admission, options: AdmissionRouteOptions): void {
  const { clock, service, reviews } = options;
  const arrivals = new WeakMap<FastifyRequest, number>();
  service.app.post<{ Params: { token: string } }>(`/:token/${admission.name}`, {
    config: neverShed,
    // Before the body: a body that cannot be handled is not worth reading. The time limit starts here.
    onRequest: (request, reply, done) => {
      if (!options.tokens.accepts(request.params.token)) return void turnAway(reply);
      arrivals.set(request, clock.monotonicMs());
      if (!service.turnsAway(reply)) done();
    },
    errorHandler: (error, _request, reply) => void fail(options, admission, error, reply),
    handler: async (request, reply) => {
      const release = service.tryEnter(reply);
      if (release === undefined) return reply;
      try {
        const arrivedMs = arrivals.get(request) ?? clock.monotonicMs();
        const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
        const review = readReview(request.headers['content-type'], body);
        const answered = await answerReview(admission, review, { ...options, arrivedMs });
        recordOnceSent(options, reply, answered, body.length);
        reviews.observe(admission, answered.run.decision, clock.monotonicMs() - arrivedMs);
        return await reply.type('application/json').send(JSON.stringify(answered.response));
      } finally {
        release();
      }
    },
  });
}

/** Closes the connection, so that the body is not read. */
function turnAway(reply: FastifyReply): FastifyReply {
  const message = 'reviews are taken from the API server only';
  return sendFailure(reply.header('connection', 'close'), {
    ...{ status: 401, reason: 'Unauthorized', message },
  });
}

/**
 * After the answer, so that it is not delayed. Dry runs are not recorded, because they must have no
 * effect.
 */
function recordOnceSent(
  { records, version }: AdmissionRouteOptions,
  { raw }: FastifyReply,
  { run }: AnsweredReview,
  bytes: number,
): void {
  if (records === undefined || run.review.dryRun) return;
  raw.once('close', () => {
    const answered = raw.writableFinished;
    records.take(bytes, () => reviewRecord(run, { version, answered }));
  });
}

function fail(
  { logger, reviews }: AdmissionRouteOptions,
  admission: Admission,
  error: FastifyError,
  reply: FastifyReply,
): FastifyReply {
  const failure = reviewFailure(error, admission.name);
  reviews.failed(admission, error instanceof MillraceError ? error.code : failure.reason);
  if (failure.status >= 500) {
    logger.error({ err: error, admission: admission.name }, 'a review failed');
  }
  return sendFailure(reply, failure);
}
