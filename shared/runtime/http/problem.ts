import type { FastifyReply } from 'fastify';

/** Answers with problem details (RFC 9457). `detail` is for readers of the sender's log. */
export function sendProblem(
  reply: FastifyReply,
  status: number,
  title: string,
  detail: string,
): FastifyReply {
  return reply
    .code(status)
    .type('application/problem+json')
    .send(JSON.stringify({ title, status, detail }));
}
