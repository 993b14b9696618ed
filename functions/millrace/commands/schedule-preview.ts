import { parseDate } from '#shared/domain/time.ts';
import type { Schedule } from '#shared/schedule/schedule.ts';
import { wallClockOf } from '#shared/schedule/time-zone.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { instantOf } from '../journal/moment.ts';
import { drawDays } from '../schedule/draw-days.ts';
import { previewText } from '../schedule/preview-text.ts';
import { type Preview, previewOf, type Span } from '../schedule/preview.ts';
import { readPolicies } from '../schedule/read-policy.ts';
import type { SchedulePreviewOptions } from './schedule-preview-options.ts';

const weekMs = 7 * 86_400_000;
/** Limit for a preview: longer ones are not useful, and each day costs time. */
const longestMs = 10 * 366 * 86_400_000;

/** `millrace schedule preview`: returns the text to print. Throws CommandFailure. */
export async function schedulePreview(
  what: string,
  options: SchedulePreviewOptions,
  nowMs: number,
): Promise<string> {
  const policies = await readPolicies(what, options);
  const texts: string[] = [];
  const previews: Preview[] = [];
  for (const { kind, metadata, spec } of policies) {
    const name = `${kind} ${metadata.name}`;
    const { schedule } = spec;
    if (schedule === undefined) {
      texts.push(`${name} has no schedule: it is always open\n`);
      continue;
    }
    const span = spanOf(schedule, options, nowMs);
    const preview = previewOf(name, schedule, span);
    previews.push(preview);
    const lines = options.output === 'text' ? [...previewText(preview), ''] : [name];
    texts.push(`${[...lines, ...drawDays(schedule, span)].join('\n')}\n`);
  }
  return options.output === 'json' ? `${JSON.stringify(previews, null, 2)}\n` : texts.join('\n');
}

/** Default: a week from now on. */
function spanOf({ timeZone }: Schedule, { from, to }: SchedulePreviewOptions, nowMs: number): Span {
  const second = Math.floor(nowMs / 1_000) * 1_000;
  const fromMs = from === undefined ? second : momentOf('--from', from, timeZone);
  const toMs = to === undefined ? fromMs + weekMs : momentOf('--to', to, timeZone);
  if (fromMs < toMs && toMs - fromMs <= longestMs) return { fromMs, toMs };
  const start = from === undefined ? 'now, the default of --from' : `--from ${from}`;
  throw fromMs < toMs
    ? new CommandFailure(
        exitCodes.usage,
        `--to ${to} is more than ten years after ${start}`,
        'write an earlier --to',
      )
    : new CommandFailure(
        exitCodes.usage,
        `--to ${to} is not after ${start}`,
        'write a later --to, or an earlier --from',
      );
}

/** A date means the beginning of that day in the time zone of the schedule. */
function momentOf(option: string, text: string, timeZone: string): number {
  const wallMs = parseDate(text);
  if (wallMs !== undefined) return wallClockOf(timeZone).instantOf(wallMs);
  const ms = instantOf(text);
  if (ms !== undefined) return ms;
  throw new CommandFailure(
    exitCodes.usage,
    `${option} ${text} is no time`,
    'write a date, such as 2026-03-29, or a time with an offset, such as 2026-03-29T00:00:00Z',
  );
}
