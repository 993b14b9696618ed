import type { FastifyReply } from 'fastify';
import type { MillraceError } from '#shared/domain/errors.ts';

/**
 * Answers with problem details (RFC 9457). `detail` is for readers of the sender's log. `fields` are those of a
 * MillraceError, so that a caller can throw it again.
 */
export function sendProblem(
  reply: FastifyReply,
  status: number,
  title: string,
  detail: string,
  fields?: MillraceError['fields'],
): FastifyReply {
  return reply
    .code(status)
    .type('application/problem+json')
    .send(JSON.stringify({ title, status, detail, fields }));
}
