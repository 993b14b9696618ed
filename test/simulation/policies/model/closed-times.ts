/** When the policies of scenarios are closed: only exceptions close them. */
import type { Schedule } from '#shared/schedule/schedule.ts';
import { parseTime } from '#shared/domain/time.ts';

export interface Opening {
  readonly isOpen: boolean;
  /** Milliseconds since the epoch. Undefined: since ever. */
  readonly sinceMs?: number;
  /** Undefined: it does not change during a run. */
  readonly untilMs?: number;
}

/** The end of every schedule's only window, in Berlin time. */
const newYearMs = Date.parse('2026-01-01T04:00:00+01:00');

export function openingAt(schedule: Schedule | undefined, nowMs: number): Opening {
  const spans = closedSpans(schedule);
  const now = spans.find(({ fromMs, toMs }) => fromMs <= nowMs && nowMs < toMs);
  if (now !== undefined) return { isOpen: false, sinceMs: now.fromMs, untilMs: now.toMs };
  const last = spans.findLast(({ toMs }) => toMs <= nowMs);
  const next = spans.find(({ fromMs }) => fromMs > nowMs);
  return {
    isOpen: true,
    ...(schedule === undefined ? {} : { sinceMs: last?.toMs ?? newYearMs }),
    ...(next === undefined ? {} : { untilMs: next.fromMs }),
  };
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** In order, with adjacent spans merged. */
function closedSpans(schedule: Schedule | undefined): readonly Span[] {
  const drawn = (schedule?.exceptions ?? []).map(({ from, to }) => ({
    fromMs: parseTime(from) ?? 0,
    toMs: parseTime(to) ?? 0,
  }));
  const spans: Span[] = [];
  for (const span of drawn.toSorted((left, right) => left.fromMs - right.fromMs)) {
    const last = spans.at(-1);
    if (last !== undefined && span.fromMs <= last.toMs) {
      spans[spans.length - 1] = { ...last, toMs: Math.max(last.toMs, span.toMs) };
    } else spans.push(span);
  }
  return spans;
}
