import { expect, it } from 'vitest';
import { asUid, type Json } from '#shared/domain/objects.ts';
import { journalFormat } from '#shared/journal/journal.ts';
import type { CutOffDecision, RecordedDecision } from '#shared/journal/recording.ts';
import { type DifferentDecision, replayEntries } from './replay-entries.ts';
import { differenceText } from './replay-text.ts';
import type { FunctionsByName } from './verify-decision.ts';

const head = {
  format: journalFormat,
  ...{ position: '1-1', cause: 'e1', function: 'greet', version: '1' },
  key: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'p', uid: asUid('u') },
  ...{ nowMs: 5, reasons: [{ code: 'Greeted', message: 'hello' }], outcome: 'applied' },
  durationMs: { observe: 0, decide: 0, apply: 0 },
} as const;
const recorded: RecordedDecision = {
  ...head,
  kind: 'decision',
  snapshot: { name: 'ann' },
  plan: [[{ greet: 'ann' }]],
};
const cutOff: CutOffDecision = { ...head, kind: 'cutOff', why: 'dropped' };

const greeting = (word: string, code = 'Greeted'): FunctionsByName =>
  new Map([
    [
      'greet',
      {
        decide: (snapshot: { readonly name: Json }) =>
          ({
            plan: [[{ [word]: snapshot.name, left: undefined }]],
            reasons: [{ code, message: 'hello' }],
          }) as never,
      },
    ],
  ] as never);

async function* given(...decisions: readonly (RecordedDecision | CutOffDecision)[]) {
  for (const decision of decisions) yield { decision };
}

async function replayed(
  byName: FunctionsByName,
  ...decisions: readonly (RecordedDecision | CutOffDecision)[]
) {
  const found: DifferentDecision[] = [];
  const tally = await replayEntries(given(...decisions), byName, {
    onDifference: (each) => found.push(each),
  });
  return { tally, lines: found.flatMap(differenceText) };
}

it('a decision that is made as it was recorded does not differ', async () => {
  const { tally, lines } = await replayed(greeting('greet'), recorded, cutOff);
  expect(tally).toMatchObject({ decisions: 1, differences: 0, cutOff: 1, unknown: 0 });
  expect(lines).toEqual([]);
});

it('a planted change is shown in two lines, with the reasons of both decisions', async () => {
  const { tally, lines } = await replayed(greeting('ignore', 'Ignored'), recorded);
  expect(tally.differences).toBe(1);
  const where = '1-1 greet Pod/default/p, plan.0.0.greet';
  expect(lines).toEqual([
    `${where}: recorded by 1 "ann", since Greeted (hello)`,
    `${where}: today nothing, since Ignored (hello)`,
  ]);
});

it('a decision of a function that this version does not have is counted apart', async () => {
  const { tally } = await replayed(new Map(), recorded);
  expect(tally).toMatchObject({ decisions: 0, differences: 0, unknown: 1 });
});

it('a decision that throws today differs', async () => {
  const failing = new Map([
    [
      'greet',
      {
        decide: () => {
          throw new TypeError('odd');
        },
      },
    ],
  ]) as FunctionsByName;
  const { lines } = await replayed(failing, recorded);
  expect(lines[1]).toMatch(/, decide: today "TypeError: odd", since no reason$/);
});
