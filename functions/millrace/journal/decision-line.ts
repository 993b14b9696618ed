/** A decision for people, on one line: event -> function and reasons -> writes -> outcome. */
import { fieldsOf, listOf, textOf } from '#shared/domain/json-value.ts';
import type { Json } from '#shared/domain/objects.ts';
import type { ExplainedDecision } from './choose-entries.ts';

/** What a decision wanted written, without the content. */
export interface RecordedWrite {
  readonly verb: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Of an Event. */
  readonly reason?: string;
}

/** `-o json`: one of these a line. */
export interface DecisionLine {
  readonly position: string;
  /** RFC 3339, UTC. */
  readonly time: string;
  readonly event: {
    readonly id: string;
    /** Absent: the event is not in the journal. */
    readonly type?: string;
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly function: string;
  readonly version: string;
  readonly object: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
  };
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
  /** Absent: the snapshot cannot be restored. */
  readonly writes?: readonly RecordedWrite[];
  readonly requeueAt?: string;
  readonly outcome: string;
  readonly durationMs: {
    readonly observe: number;
    readonly decide: number;
    readonly apply: number;
  };
}

export function decisionLine({ decision, event: recorded }: ExplainedDecision): DecisionLine {
  const event = recorded?.event;
  const { position, function: name, version, key, reasons, outcome, durationMs } = decision;
  const { kind, namespace, uid } = key;
  return {
    position,
    time: new Date(decision.nowMs).toISOString(),
    event: {
      id: decision.cause,
      ...(event === undefined
        ? {}
        : { type: event.type, kind: event.kind, namespace: event.namespace, name: event.name }),
    },
    function: name,
    version,
    object: { kind, namespace, name: key.name, uid },
    reasons: reasons.map(({ code, message }) => ({ code, message })),
    ...(decision.kind === 'decision' ? { writes: writesIn(decision.plan) } : {}),
    ...(decision.requeueAtMs === undefined
      ? {}
      : { requeueAt: new Date(decision.requeueAtMs).toISOString() }),
    outcome,
    durationMs,
  };
}

export function writesIn(plan: unknown): readonly RecordedWrite[] {
  return listOf(plan).flatMap((stage) => listOf(stage).map(writeOf));
}

function writeOf(operation: Json): RecordedWrite {
  const of = fieldsOf(operation);
  const verb = textOf(of['kind']);
  if (verb === 'emitEvent') {
    const { kind, namespace, name } = fieldsOf(of['regarding']);
    return {
      ...{ verb, kind: textOf(kind), namespace: textOf(namespace), name: textOf(name) },
      reason: textOf(of['reason']),
    };
  }
  const { namespace, name } = fieldsOf(of['target'] ?? fieldsOf(of['object'])['metadata']);
  const kind = textOf(fieldsOf(of['resource'])['kind']);
  return { verb, kind, namespace: textOf(namespace), name: textOf(name) };
}

const mostNamed = 3;

export function decisionText(explained: ExplainedDecision): string {
  const line = decisionLine(explained);
  const { time, event, object, outcome } = line;
  const cause =
    event.name === undefined
      ? `event ${event.id}`
      : `${event.kind ?? ''}/${event.name} ${(event.type ?? '').includes('.deleted.') ? 'deleted' : 'changed'}`;
  return [
    `${time} ${cause}`,
    `${line.function} ${object.kind}/${object.name}: ${decidedText(line)}`,
    outcome,
  ].join(' -> ');
}

/** Reasons -> writes, and when it is looked at again. */
export function decidedText({
  reasons,
  writes,
  requeueAt,
  time,
}: Pick<DecisionLine, 'reasons' | 'writes' | 'requeueAt' | 'time'>): string {
  const said = reasons.map(({ code, message }) => (message === '' ? code : `${code} (${message})`));
  const written =
    writes === undefined ? 'writes unknown' : writesText(writes) || 'nothing to write';
  const again = requeueAt === undefined ? '' : `, looks again ${momentText(requeueAt, time)}`;
  return `${some(said, '; ') || 'no reason'} -> ${written}${again}`;
}

function momentText(at: string, now: string): string {
  // Both are of one length and zone, so they compare as texts.
  return at <= now ? 'at once' : `at ${at.replace('.000Z', 'Z')}`;
}

function writesText(writes: readonly RecordedWrite[]): string {
  const groups = Map.groupBy(writes, ({ verb, kind }) => `${verb} ${kind}`);
  return [...groups]
    .map(([of, [first, ...others]]) => {
      if (first?.verb === 'emitEvent') {
        return `Event ${some(
          [first, ...others].map(({ reason = '' }) => reason),
          ', ',
        )}`;
      }
      if (first?.verb === 'patchStatus') return `status ${first.kind}`;
      const names = [first, ...others].map((write) => write?.name ?? '');
      return `${of} ${some(names, ', ')}`;
    })
    .join(', ');
}

/** The first ones, and how many more there are. */
function some(texts: readonly string[], separator: string): string {
  const shown = texts.slice(0, mostNamed);
  const left = texts.length - shown.length;
  return [...shown, ...(left === 0 ? [] : [`${left} more`])].join(separator);
}
