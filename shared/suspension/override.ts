/** The annotation `millrace.dev/suspend-override`: `Run` or `Hold`, until a time or for ever. */
import { parseTime } from '#shared/domain/time.ts';

export interface Override {
  readonly wants: 'Run' | 'Hold';
  /** Absent: for ever. */
  readonly untilMs?: number;
}

/** Undefined: there is none, it has expired, or it cannot be read. */
export function overrideAt(text: string | undefined, nowMs: number): Override | undefined {
  const match = /^(Run|Hold)(?:;until=(\S+))?$/.exec(text?.trim() ?? '');
  if (match === null) return undefined;
  const wants = match[1] === 'Run' ? 'Run' : 'Hold';
  if (match[2] === undefined) return { wants };
  const untilMs = parseTime(match[2]);
  return untilMs === undefined || untilMs <= nowMs ? undefined : { wants, untilMs };
}
