/**
 * A process's connection to the API server: a request arrives after a delay, is carried out, and its
 * answer arrives after another delay. All faults on the way happen here.
 */
import { hasCode, MillraceError, type ErrorCode } from '#shared/domain/errors.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { httpDateOf } from '#shared/domain/time.ts';
import type { ServerTime } from '#shared/kube/api-transport.ts';
import type { KubeClient, ListOptions } from '#shared/kube/client.ts';
import type { Machine } from './machine.ts';
import type { SimulationContext } from './simulation-context.ts';
import { simulatedWatch, type OpenWatch } from './simulated-watch.ts';
import { electionTimes } from './simulated-election.ts';
import { cluster, type Life } from './timeline.ts';

export interface SimulatedClientOptions {
  readonly context: SimulationContext;
  readonly life: Life;
  /** Answers at once: the sandbox. */
  readonly server: KubeClient;
  readonly serverMachine: Machine;
  readonly time: ProcessTime;
  readonly openWatch: OpenWatch;
  /** The list some revisions ago. Undefined: it is no longer known. */
  readonly pastList: (
    resource: Resource,
    options: ListOptions,
  ) => (() => ReturnType<KubeClient['list']>) | undefined;
  readonly witness: WriteWitness;
}

/** A process's times: its own, and the server's from answers. */
export interface ProcessTime {
  readonly monotonicMs: () => number;
  readonly onServerTime: (time: ServerTime) => void;
}

/** Virtual milliseconds. */
export const slowestRequestMs = 35_000;

/** Observes a process's writes from the outside. */
export interface WriteWitness {
  /** Carries out a write as this process's. */
  writing<Answer>(life: Life, write: RequestName, send: () => Promise<Answer>): Promise<Answer>;
  /** The server has just sent the process this state of an object. Undefined: there is none. */
  answered(life: Life, read: RequestName, answer: unknown): void;
  /** The API server refused this request. */
  refused(request: RequestName): void;
  /** The process knows this state of an object by its own write. */
  knows(life: Life, write: RequestName, answer: unknown): void;
  /** The process has read the server's time in an answer. */
  heard(life: Life, answer: DatedAnswer): void;
}

/** Send time of the answered request, in virtual milliseconds. */
export interface DatedAnswer {
  readonly askedMs: number;
  readonly writtenMs: number;
}

export interface RequestName {
  readonly verb: 'get' | 'list' | 'review' | 'create' | 'patch' | 'delete';
  readonly resource: Resource;
  readonly name: string;
  /** For a write: its field manager. */
  readonly manager?: string | undefined;
}

export function simulatedClient(options: SimulatedClientOptions): KubeClient {
  const { server } = options;
  const call = <Answer>(
    verb: RequestName['verb'],
    resource: Resource,
    name: string,
    send: () => Promise<Answer>,
    signal?: AbortSignal,
    manager?: string,
  ) => request(options, { verb, resource, name, manager }, send, signal);
  return {
    get: (resource, name, signal) =>
      call('get', resource, name.name, () => server.get(resource, name), signal),
    list: (resource, { signal, ...rest }) =>
      call('list', resource, '', () => listOf(options, resource, rest), signal),
    watch: (resource, watchOptions) => simulatedWatch(options, resource, watchOptions),
    create: (resource, object, write) =>
      call('create', resource, object.metadata.name, () => server.create(resource, object, write)),
    discover: (apiVersion, signal) => server.discover(apiVersion, signal),
    review: (resource, spec, signal) =>
      call('review', resource, '', () => server.review(resource, spec), signal),
    patch: (resource, name, patch, write) =>
      call(
        ...(['patch', resource, name.name] as const),
        () => server.patch(resource, name, patch, write),
        ...([undefined, write.fieldManager] as const),
      ),
    delete: (resource, name, write) =>
      call('delete', resource, name.name, () => server.delete(resource, name, write)),
  };
}

/** Reads of the most recent state, or of one object's children, are never outdated. */
function listOf(
  { context: { faults }, server, pastList }: SimulatedClientOptions,
  resource: Resource,
  options: ListOptions,
): ReturnType<KubeClient['list']> {
  const isOfOne = options.labelSelector?.includes('=') === true;
  if (options.continue === undefined && options.resourceVersion === undefined && !isOfOne) {
    const past = faults.has('staleList') ? pastList(resource, options) : undefined;
    if (past !== undefined && faults.strikes('staleList')) return past();
  }
  return server.list(resource, options);
}

function request<Answer>(
  options: SimulatedClientOptions,
  asked: RequestName,
  send: () => Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const { context, life } = options;
  const { timeline, faults, latency, random, underWay } = context;
  const label = `${asked.verb} ${asked.resource.plural} ${asked.name}`;
  const hearing = hearingOf(options);
  // A lease's content changes no flow.
  const mayChange = asked.verb !== 'list' && asked.resource.kind !== 'Lease';
  const sent = underWay.sent({ life, sentMs: timeline.nowMs, mayChange });
  return new Promise((resolve, reject) => {
    const reply = (settle: () => void, hear = hearing()): void => {
      const slow = faults.strikes('slowRequest') ? random.between(1_000, slowestRequestMs) : 0;
      timeline.after(latency() + slow + latenessOf(options, asked), life, label, () => {
        hear();
        settle();
        underWay.ended(sent);
      });
    };
    const fail = (error: unknown): void => {
      const settle = (): void => {
        context.trace(life, () => `${label} -> ${describe(error)}`);
        reject(asError(error));
      };
      reply(settle, hasCode(error, 'MR_API_UNREACHABLE') ? () => undefined : hearing());
    };
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    // On its way it belongs to no process, because a dying process may or may not have sent it.
    timeline.after(latency(), cluster, label, () => {
      sent.isCarriedOut = true;
      if (!life.alive && random.chance(0.5)) return;
      const refusal = faultBefore(options, asked);
      if (refusal === 'crash') return;
      if (refusal !== undefined) {
        options.witness.refused(asked);
        fail(refusal);
        return;
      }
      const { witness } = options;
      const carriedOut = isWrite(asked) ? witness.writing(life, asked, send) : send();
      carriedOut.then(
        (answer) => {
          if (asked.verb === 'get') options.witness.answered(life, asked, answer);
          const lost = faultAfter(options, asked);
          if (lost === 'crash') return;
          if (lost !== undefined) fail(lost);
          else
            reply(() => {
              context.trace(life, () => `${label} -> ok`);
              if (isWrite(asked)) witness.knows(life, asked, answer);
              resolve(answer);
            });
        },
        (error: unknown) => fail(error),
      );
    });
  });
}

/**
 * Call it when the request is sent. It returns a function for the server's answer, which returns one
 * for the process's read.
 */
function hearingOf({ context, life, serverMachine, time, witness }: SimulatedClientOptions) {
  const sentMs = context.timeline.nowMs;
  const askedMs = time.monotonicMs();
  return () => {
    const writtenMs = context.timeline.nowMs;
    const date = httpDateOf(serverMachine.wallMs);
    return () => {
      time.onServerTime({ date, askedMs, answeredMs: time.monotonicMs() });
      witness.heard(life, { askedMs: sentMs, writtenMs });
    };
  };
}

/** Additional delay of the answer, from separate sequences. */
function latenessOf(
  { context: { disturbance, faults } }: SimulatedClientOptions,
  { resource }: RequestName,
): number {
  const lateMs = disturbance.latenessMs();
  if (resource.kind !== 'Lease' || !faults.strikes('leaseAnswerLate')) return lateMs;
  return lateMs + disturbance.between(0.1, 1.5) * electionTimes.renewMs;
}

function isWrite({ verb }: RequestName): boolean {
  return verb === 'create' || verb === 'patch' || verb === 'delete';
}

/** Decided at the request's arrival: nothing is carried out. */
function faultBefore(
  { context, life }: SimulatedClientOptions,
  asked: RequestName,
): MillraceError | 'crash' | undefined {
  const { faults } = context;
  if (faults.strikes('requestLost')) return lost(asked, 'connection reset');
  if (faults.strikes('tooManyRequests')) {
    return answer('MR_API_RETRYABLE', asked, 429, 'TooManyRequests', 1_000);
  }
  if (faults.strikes('internalError')) {
    return answer('MR_API_RETRYABLE', asked, 500, 'InternalError');
  }
  if (asked.verb === 'list' && faults.strikes('listExpired')) {
    return answer('MR_API_GONE', asked, 410, 'Expired');
  }
  if (!isWrite(asked)) return undefined;
  if (faults.strikes('conflict')) return answer('MR_API_CONFLICT', asked, 409, 'Conflict');
  if (asked.verb === 'create' && faults.strikes('forbidden')) {
    return answer('MR_API_FORBIDDEN', asked, 403, 'Forbidden');
  }
  if (life.alive && faults.strikes('crashBeforeWrite')) {
    context.crash(life);
    return 'crash';
  }
  return undefined;
}

/** Decided after the request was carried out. */
function faultAfter(
  { context, life }: SimulatedClientOptions,
  asked: RequestName,
): MillraceError | 'crash' | undefined {
  if (!isWrite(asked)) return undefined;
  if (life.alive && context.faults.strikes('crashAfterWrite')) {
    context.crash(life);
    return 'crash';
  }
  return context.faults.strikes('replyLost') ? lost(asked, 'the answer was lost') : undefined;
}

function lost({ verb, resource, name }: RequestName, detail: string): MillraceError {
  return new MillraceError('MR_API_UNREACHABLE', {
    verb,
    path: `${resource.plural}/${name}`,
    detail,
  });
}

function answer(
  code: ErrorCode,
  { verb, resource, name }: RequestName,
  status: number,
  reason: string,
  retryAfterMs?: number,
): MillraceError {
  const fields = { verb, path: `${resource.plural}/${name}`, status, reason, detail: 'injected' };
  return new MillraceError(code, fields, retryAfterMs === undefined ? {} : { retryAfterMs });
}

export function describe(error: unknown): string {
  return error instanceof MillraceError
    ? `${error.code} ${error.fields['reason'] ?? ''} ${error.fields['detail'] ?? ''}`
    : String(error);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
