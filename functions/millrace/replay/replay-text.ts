/** The output of a replay. */
import type { Reason } from '#shared/domain/decision.ts';
import type { Json } from '#shared/domain/objects.ts';
import { counted, shortened } from '#shared/domain/wording.ts';
import { reasonsWithoutFields, reasonTexts } from '../journal/decision-line.ts';
import type { DifferentDecision } from './replay-entries.ts';
import type { Tally } from './replay-schema.ts';

/** For `-o json`. Undefined values are left out. */
export function differenceLine({ recorded, difference, reasons }: DifferentDecision) {
  const { position, nowMs, function: name, key } = recorded;
  return {
    ...{ position, time: new Date(nowMs).toISOString(), function: name, object: key },
    ...difference,
    ...{ recorded: reasonsWithoutFields(recorded.reasons), today: reasonsWithoutFields(reasons) },
  };
}

/** Two lines: the recorded decision and today's, each with its reasons. */
export function differenceText({
  recorded,
  difference,
  reasons,
}: DifferentDecision): readonly [string, string] {
  const { function: name, key, position, version } = recorded;
  const object = [key.kind, key.namespace, key.name].filter((text) => text !== '').join('/');
  const where = `${position} ${name} ${object}, ${difference.path}`;
  const { before, after } = difference;
  return [
    `${where}: recorded by ${version} ${valueText(before)}, since ${reasonsText(recorded.reasons)}`,
    `${where}: today ${valueText(after)}, since ${reasonsText(reasons)}`,
  ];
}

const longestValue = 200;
const longestReasons = 300;

export function valueText(value: Json | undefined): string {
  return value === undefined ? 'nothing' : shortened(JSON.stringify(value), longestValue);
}

function reasonsText(reasons: readonly Reason[]): string {
  const texts = reasonTexts(reasons);
  return texts.length === 0 ? 'no reason' : shortened(texts.join('; '), longestReasons);
}

export function tallyText({ decisions, differences, cutOff, unknown, decidingMs }: Tally): string {
  const rate = decidingMs === 0 ? 0 : Math.round((decisions / decidingMs) * 1_000);
  return [
    `${counted(decisions, 'decision')} ${decisions === 1 ? 'was' : 'were'} made again (${rate} a second), ${differences} ${differences === 1 ? 'differs' : 'differ'}`,
    ...(cutOff === 0 ? [] : [`${cutOff} cannot be made again: what they stand on was dropped`]),
    ...(unknown === 0 ? [] : [`${unknown} are of functions that this version does not have`]),
  ].join('; ');
}
