/** Frozen recordings are decided as they were; a deliberate change of behaviour records them anew (`npm run record`). */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { functions } from '#functions/list.ts';
import { chosenDecisions } from '#functions/millrace/journal/choose-entries.ts';
import {
  type DifferentDecision,
  replayEntries,
} from '#functions/millrace/replay/replay-entries.ts';
import { differenceText } from '#functions/millrace/replay/replay-text.ts';
import type { FunctionsByName } from '#functions/millrace/replay/verify-decision.ts';
import { entriesIn } from '#shared/journal/recording.ts';

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

it('a change of one decision is shown in two lines, with the reasons of both', async () => {
  const changed: FunctionsByName = new Map([
    ...today,
    [
      'flow-advance',
      {
        decide: (snapshot: never, input: never) => {
          const decision = today.get('flow-advance')?.decide(snapshot, input);
          return { plan: [], reasons: [{ code: 'Planted', message: 'a change' }], ...{ decision } };
        },
      },
    ],
  ] as [string, never][]);
  const [file = ''] = recordings;
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
