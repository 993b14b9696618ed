/** A decision on one line of text: event -> function and reasons -> writes -> outcome. */
import type { Static } from 'typebox';
import type { DeepReadonly } from '#shared/api/deep-readonly.ts';
import type { Reason } from '#shared/domain/decision.ts';
import { fieldsOf, listOf, textOf } from '#shared/domain/json-value.ts';
import type { Json } from '#shared/domain/objects.ts';
import type { writesSchema } from '../output-fields.ts';
import type { ExplainedDecision } from './choose-entries.ts';
import type { DecisionLine } from './decision-line-schema.ts';

export type RecordedWrite = DeepReadonly<Static<typeof writesSchema>>[number];

export function decisionLine({ decision, event: recorded }: ExplainedDecision): DecisionLine {
  const event = recorded?.event;
  const { position, function: name, version, key, reasons, outcome, detail, durationMs } = decision;
  const { apiVersion, kind, namespace, uid } = key;
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
    object: { apiVersion, kind, namespace, name: key.name, uid },
    reasons: reasonsWithoutFields(reasons),
    ...(decision.kind === 'decision' ? { writes: writesIn(decision.plan) } : {}),
    ...(decision.requeueAtMs === undefined
      ? {}
      : { requeueAt: new Date(decision.requeueAtMs).toISOString() }),
    outcome,
    ...(detail === undefined ? {} : { detail }),
    durationMs,
  };
}

/** Leaves out the fields, which only the functions use. */
export function reasonsWithoutFields(reasons: readonly Reason[]): DecisionLine['reasons'] {
  return reasons.map(({ code, message }) => ({ code, message }));
}

/** Each once: a flow often has the reason of its step. */
export function reasonTexts(reasons: DecisionLine['reasons']): readonly string[] {
  const texts = reasons.map(({ code, message }) =>
    message === '' ? code : `${code} (${message})`,
  );
  return [...new Set(texts)];
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
  const { time, event, object, outcome, detail } = line;
  const cause =
    event.name === undefined
      ? `event ${event.id}`
      : `${event.kind ?? ''}/${event.name} ${(event.type ?? '').includes('.deleted.') ? 'deleted' : 'changed'}`;
  return [
    `${time} ${cause}`,
    `${line.function} ${object.kind}/${object.name}: ${decidedText(line)}`,
    detail === undefined ? outcome : `${outcome} (${detail})`,
  ].join(' -> ');
}

/** Reasons -> writes, and when the object is looked at again. */
export function decidedText({
  reasons,
  writes,
  requeueAt,
  time,
}: Pick<DecisionLine, 'reasons' | 'writes' | 'requeueAt' | 'time'>): string {
  const said = reasonTexts(reasons);
  const written =
    writes === undefined ? 'writes unknown' : writesText(writes) || 'nothing to write';
  const again = requeueAt === undefined ? '' : `, looks again ${momentText(requeueAt, time)}`;
  return `${some(said, '; ') || 'no reason'} -> ${written}${again}`;
}

function momentText(at: string, now: string): string {
  // Both have the same length and zone, so they can be compared as strings.
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

/** The first texts, and the number of the others. */
function some(texts: readonly string[], separator: string): string {
  const shown = texts.slice(0, mostNamed);
  const left = texts.length - shown.length;
  return [...shown, ...(left === 0 ? [] : [`${left} more`])].join(separator);
}
