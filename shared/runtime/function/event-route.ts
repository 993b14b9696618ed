import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorTable, MillraceError } from '#shared/domain/errors.ts';
import type { Verdict } from '#shared/domain/verdict.ts';
import type { CloudEvent } from '#shared/events/cloud-event.ts';
import type { DeliveryClaim } from '#shared/events/delivery-signature.ts';
import { readHttpEvent } from '#shared/events/http-binding.ts';
import { workItemOf, type EventWorkContext } from './event-work.ts';
import { sendProblem } from '../http/problem.ts';
import type { WorkingService } from '../http/working-service.ts';
import type { ProcessItem } from './process-item.ts';
import type { SignatureCheck } from './signature-check.ts';
import { verdictOfError } from './verdict-of-error.ts';
import { replyOf } from './verdict-reply.ts';

export interface EventRouteOptions extends EventWorkContext {
  readonly process: ProcessItem;
  readonly service: WorkingService;
  /** Absent: signatures are not checked. */
  readonly check?: SignatureCheck;
}

/** `POST /`: one CloudEvent in, a verdict out. */
export function registerEventRoute(options: EventRouteOptions): void {
  const { service, check } = options;
  const context = { ...options, process: oneAtATime(options) };
  const claims = new WeakMap<FastifyRequest, DeliveryClaim>();
  service.app.post('/', {
    // Before the body: a body that cannot be handled is not worth reading.
    onRequest: (request, reply, done) => {
      if (service.turnsAway(reply)) return;
      if (check !== undefined) claims.set(request, check.claimOf(request.headers));
      done();
    },
    handler: async (request, reply) => {
      const event = provenEvent(options, request, claims.get(request));
      // Checked again after the body, which may have taken seconds. Only work takes a place: slow senders
      // would otherwise occupy all of them.
      const release = service.tryEnter(reply);
      if (release === undefined) return reply;
      try {
        const verdict = await verdictOn(event, context, whenAbandoned(reply));
        return await sendVerdict(reply, verdict);
      } finally {
        release();
      }
    },
  });
}

/** The signature covers the bytes: nothing is parsed before it is verified. */
function provenEvent(
  { check }: EventRouteOptions,
  request: FastifyRequest,
  claim: DeliveryClaim | undefined,
): CloudEvent {
  const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  if (claim !== undefined) check?.prove(claim, body);
  const event = readHttpEvent(request.raw.rawHeaders, body);
  if (claim !== undefined) check?.proveId(claim, event.id);
  return event;
}

function oneAtATime({ process, service }: EventRouteOptions): ProcessItem {
  const running = new Set<string>();
  return async (item, abandoned) => {
    const { uid } = item.key;
    if (running.has(uid)) {
      service.metrics.shed.inc({ reason: 'busy' });
      return { kind: 'later', detail: `${item.key.kind} ${item.key.name} is being worked on` };
    }
    running.add(uid);
    try {
      return await process(item, abandoned);
    } finally {
      running.delete(uid);
    }
  };
}

/** The verdict on the object of the event. Throws MR_EVENT_MALFORMED and MR_EVENT_UNROUTABLE. */
export async function verdictOn(
  event: CloudEvent,
  context: EventWorkContext & { readonly process: ProcessItem },
  abandoned: AbortSignal,
): Promise<Verdict> {
  const item = await workItemOf(event, context).catch(verdictUnlessSenders);
  if (item === undefined) return { kind: 'done' };
  return 'kind' in item ? item : context.process(item, abandoned);
}

/** A bad event is the sender's fault and throws; a failed read gives a verdict. */
function verdictUnlessSenders(error: unknown): Verdict {
  if (error instanceof MillraceError && error.code.startsWith('MR_EVENT_')) throw error;
  return verdictOfError(error);
}

/** Aborts when the sender disconnects: it counts the delivery as lost and repeats it. */
export function whenAbandoned({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

export function sendVerdict(reply: FastifyReply, verdict: Verdict): FastifyReply {
  const { status, headers, detail } = replyOf(verdict);
  void reply.headers(headers);
  if (detail === undefined) return reply.code(status).send();
  return sendProblem(reply, status, titleOf(detail), detail);
}

/** If a detail begins with an MR_ code, that code gives the title. */
function titleOf(detail: string): string {
  const code = /^MR_\w+/.exec(detail)?.[0];
  return code !== undefined && Object.hasOwn(errorTable, code) ? code : 'Not Done';
}
