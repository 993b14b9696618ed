/**
 * Frozen recordings are decided again with the same result. A deliberate change of behaviour needs a new recording
 * (`npm run record`).
 */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { functions } from '#functions/list.ts';
import { chosenDecisions } from '#functions/millrace/journal/choose-entries.ts';
import {
  type DifferentDecision,
  replayEntries,
} from '#functions/millrace/replay/replay-entries.ts';
import { differenceText } from '#functions/millrace/replay/replay-text.ts';
import {
  type FunctionsByName,
  verifyDecision,
} from '#functions/millrace/replay/verify-decision.ts';
import type { Json } from '#shared/domain/objects.ts';
import { redacted } from '#shared/domain/redact.ts';
import { entriesIn, type RecordedDecision } from '#shared/journal/recording.ts';

const folder = join(import.meta.dirname, '../replay');
const recordings = globSync('*.ndjson', { cwd: folder });
const today: FunctionsByName = new Map(functions.map((fn) => [fn.subscription.name, fn]));

async function* linesOf(file: string) {
  yield* (await readFile(join(folder, file), 'utf8')).split('\n');
}

async function replayed(file: string, byName: FunctionsByName) {
  const found: DifferentDecision[] = [];
  const decisions = chosenDecisions(entriesIn(linesOf(file)), undefined, {});
  const tally = await replayEntries(decisions, byName, {
    onDifference: (each) => found.push(each),
  });
  return { tally, found };
}

it.each(recordings)('%s is decided today as it was', async (file) => {
  const { tally, found } = await replayed(file, today);
  expect(found.flatMap(differenceText)).toEqual([]);
  expect(tally.decisions).toBeGreaterThan(30);
  expect(tally).toMatchObject({ cutOff: 0, unknown: 0 });
});

it.each(recordings)(
  '%s holds decisions of every function, and no environment value',
  async (file) => {
    const text = await readFile(join(folder, file), 'utf8');
    expect(text).not.toContain('canary-4711-0815');
    const decided = text.split('\n').flatMap((line) => {
      const { kind, function: name } = JSON.parse(line === '' ? '{}' : line) as Line;
      return kind === 'decision' ? [name] : [];
    });
    expect([...new Set(decided)].sort()).toEqual([...today.keys()].sort());
  },
);

it('the recordings show a failure, a retry, a window and a node that is lost', async () => {
  const texts = await Promise.all(recordings.map((file) => readFile(join(folder, file), 'utf8')));
  const codes = texts.flatMap((text) =>
    [...text.matchAll(/"code":"(\w+)"/g)].map(([, code]) => code),
  );
  expect(codes).toEqual(
    expect.arrayContaining(['StepFailed', 'ManualRetry', 'Closed', 'HeldByPolicy', 'NodeGone']),
  );
  expect(texts.join('')).toMatch(/"kind":"create",[^\n]*"name":"etl-b-r1"/);
});

it('redacting what a function decides comes to the same as deciding on what is redacted', async () => {
  const decisions: RecordedDecision[] = [];
  for (const file of recordings) {
    for await (const { decision } of chosenDecisions(entriesIn(linesOf(file)), undefined, {})) {
      if (decision.kind === 'decision') decisions.push(decision);
    }
  }
  const hiding = decisions.filter(({ snapshot }) => revealed(snapshot, '') !== undefined);
  const hidingFunctions = new Set(hiding.map((each) => each.function));
  // The recording has neither environments nor foreign annotations.
  hidingFunctions.add('suspend-schedule');
  expect(hidingFunctions).toEqual(new Set(today.keys()));
  fc.assert(
    fc.property(fc.constantFrom(...hiding), fc.string(), (recorded, value) => {
      const snapshot = revealed(recorded.snapshot, value);
      if (snapshot === undefined) throw new Error('it hides nothing');
      expect(verifyDecision({ ...recorded, snapshot }, today)).toEqual({ kind: 'same' });
    }),
    { numRuns: 500 },
  );
});

/** The object with this value in place of every redacted one. Undefined: nothing was redacted. */
function revealed(snapshot: Json, value: string): Json | undefined {
  const text = JSON.stringify(snapshot);
  const hidden = JSON.stringify(redacted);
  if (!text.includes(hidden)) return undefined;
  return JSON.parse(text.replaceAll(hidden, () => JSON.stringify(value))) as Json;
}

it('a change of one decision is shown in two lines, with the reasons of both', async () => {
  const { decide } = today.get('flow-advance') ?? {};
  if (decide === undefined) throw new Error('there is no flow-advance');
  const planted: typeof decide = (snapshot, input) => ({
    ...decide(snapshot, input),
    ...{ plan: [], reasons: [{ code: 'Planted', message: 'a change' }] },
  });
  const [file = ''] = recordings;
  const changed = new Map([...today, ['flow-advance', { decide: planted }]]);
  const { tally, found } = await replayed(file, changed);
  expect(tally.differences).toBeGreaterThan(0);
  const [first] = found;
  const lines = first === undefined ? [] : differenceText(first);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(
    / flow-advance JobFlow\/default\/\w+, plan\.0: recorded by \S+ .*, since /,
  );
  expect(lines[1]).toMatch(/, plan\.0: today nothing, since Planted \(a change\)$/);
});

interface Line {
  readonly kind?: string;
  readonly function?: string;
}
