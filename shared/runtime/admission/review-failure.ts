import type { FastifyReply } from 'fastify';
import { MillraceError } from '#shared/domain/errors.ts';

export interface ReviewFailure {
  readonly status: number;
  /** As in a metav1.Status. */
  readonly reason: string;
  readonly message: string;
}

/**
 * The answer to a failed review. Details of an error without an MR_ code stay in the log: they may
 * quote the object, and the API server's user reads the answer.
 */
export function reviewFailure(error: unknown, admission: string): ReviewFailure {
  if (error instanceof MillraceError) return failureOf(error);
  const { statusCode } = error as { readonly statusCode?: unknown };
  if (typeof statusCode === 'number' && statusCode !== 500) {
    return { status: statusCode, reason: reasonOf(statusCode), message: (error as Error).message };
  }
  const message = `${admission} failed; the log of its process says why`;
  return { status: 500, reason: reasonOf(500), message };
}

/**
 * A metav1.Status: the API server shows its message to the user. For any other body it only says that
 * the answer was unknown (client-go rest.Result.Error).
 */
export function sendFailure(
  reply: FastifyReply,
  { status, reason, message }: ReviewFailure,
): FastifyReply {
  const failure = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure' };
  return reply
    .code(status)
    .type('application/json')
    .send(JSON.stringify({ ...failure, code: status, reason, message }));
}

function failureOf(error: MillraceError): ReviewFailure {
  const status = statusOf(error);
  return { status, reason: reasonOf(status), message: `${error.code}: ${error.message}` };
}

function statusOf({ code, fields }: MillraceError): number {
  switch (code) {
    case 'MR_REVIEW_MALFORMED':
      return Number(fields['status'] ?? 400);
    case 'MR_REVIEW_UNEXPECTED':
      return 422;
    case 'MR_REVIEW_UNRECORDED':
      return 503;
    case 'MR_REVIEW_LATE':
      return 504;
    default:
      return 500;
  }
}

/** Words of metav1.StatusReason. */
const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  408: 'Timeout',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function reasonOf(status: number): string {
  return reasons[status] ?? 'InternalError';
}
