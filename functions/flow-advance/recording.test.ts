import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JobFlow } from '#shared/api/job-flow.ts';
import { asEventId } from '#shared/domain/objects.ts';
import { redactEnv } from '#shared/domain/redact.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { readDecisions, type ReadDecision } from '#shared/journal/decision-reader.ts';
import type { JournalBounds } from '#shared/journal/bounds.ts';
import type { JournalRecord } from '#shared/journal/journal.ts';
import { createMemoryJournal } from '#shared/journal/memory-journal.ts';
import {
  createDecisionRecorder,
  type DecisionRun,
} from '#shared/runtime/function/decision-recorder.ts';
import { decide } from './decide.ts';
import type { FlowSnapshot } from './snapshot.ts';
import { ModelCluster } from './testing/model-cluster.ts';
import { asFlow, randomFlow, type RandomFlow } from './testing/random-flows.ts';
import { history, live, liveToTheEnd, type Happening } from './testing/schedule.ts';

const canary = 'canary-4711-0815';
const histories = history([
  'pass',
  'pass',
  'crash',
  'start',
  'finish',
  'tick',
  'vanish',
  'suspend',
]);

/** The possible fates of a record of a decision. */
type Fate = { readonly writer: number; readonly kind: 'kept' | 'lost' | 'unanswered' | 'flushed' };

const fate = fc.record<Fate>({
  writer: fc.constantFrom(0, 0, 0, 0, 1),
  kind: fc.constantFrom('kept', 'kept', 'kept', 'kept', 'kept', 'lost', 'unanswered', 'flushed'),
});

function withSecrets(flow: JobFlow): JobFlow {
  const env = [{ name: 'TOKEN', value: canary, note: { deep: canary } }];
  return { ...flow, spec: { ...flow.spec, globalParams: { env } } };
}

/** All decisions about one random flow, as runs to record. */
async function runsOf(
  random: RandomFlow,
  happened: readonly Happening[],
): Promise<readonly DecisionRun<FlowSnapshot>[]> {
  const cluster = new ModelCluster(withSecrets(asFlow(random)));
  const runs: DecisionRun<FlowSnapshot>[] = [];
  const durationMs = { observe: 0, decide: 0, apply: 0 };
  cluster.onDecision = (made) => {
    const item = {
      function: 'flow-advance',
      key: cluster.key,
      cause: asEventId(`e${runs.length}`),
    };
    // Cloned, because an API server shares nothing with earlier reads.
    const snapshot = structuredClone(made.snapshot);
    runs.push({ ...made, snapshot, item, outcome: 'applied', durationMs });
  };
  await live(cluster, random, happened);
  await liveToTheEnd(cluster, random);
  return runs;
}

/** Records the runs. Returns the journal, and the causes of all that were ever in it. */
async function recorded(
  runs: readonly DecisionRun<FlowSnapshot>[],
  fates: readonly Fate[],
  bounds: Partial<JournalBounds> = {},
) {
  const clock = virtualClock(1_000_000);
  const journal = createMemoryJournal({ clock, bounds });
  const stored = new Set<string>();
  let fateNow: Fate = { writer: 0, kind: 'kept' };
  const append = async (records: readonly JournalRecord[]) => {
    if (fateNow.kind === 'lost') throw new Error('away');
    for (const record of records) if (record.kind === 'decision') stored.add(record.cause);
    const appended = await journal.append(records);
    if (fateNow.kind === 'unanswered') throw new Error('away');
    return appended;
  };
  const writers = [0, 1].map(() =>
    createDecisionRecorder<FlowSnapshot>({
      fn: { name: 'flow-advance' },
      journal: { append },
      version: 'test',
    }),
  );
  for (const [index, run] of runs.entries()) {
    fateNow = fates[index % Math.max(1, fates.length)] ?? fateNow;
    if (fateNow.kind === 'flushed') journal.clear();
    await clock.advance(10);
    await writers[fateNow.writer]?.(run).catch(() => undefined);
  }
  const reads: ReadDecision[] = [];
  for await (const read of readDecisions(journal)) reads.push(read);
  return { journal, stored, reads };
}

function expectAsMade(read: ReadDecision, runs: readonly DecisionRun<FlowSnapshot>[]): void {
  if (read.kind === 'cutOff') return;
  const { cause, snapshot, plan, nowMs, isUnderLoad } = read.decision;
  const run = runs.find(({ item }) => item.cause === cause);
  expect(JSON.stringify(snapshot)).toBe(JSON.stringify(redactEnv(run?.snapshot)));
  expect(JSON.stringify(plan)).toBe(JSON.stringify(redactEnv(run?.decision.plan)));
  const again = decide(snapshot as unknown as FlowSnapshot, { nowMs, isUnderLoad });
  expect(JSON.stringify(again.plan)).toBe(JSON.stringify(plan));
}

it('gives every decision back as it was made, and the same plan when it is made again', async () => {
  await fc.assert(
    fc.asyncProperty(randomFlow(), histories, async (random, happened) => {
      const runs = await runsOf(random, happened);
      const { journal, reads, stored } = await recorded(runs, []);
      expect(reads.filter(({ kind }) => kind === 'cutOff')).toEqual([]);
      expect(reads.length).toBe(stored.size);
      for (const read of reads) expectAsMade(read, runs);
      expect(JSON.stringify(await journal.read(undefined, 10_000))).not.toContain(canary);
    }),
    { numRuns: 60 },
  );
});

it('gives no wrong one back when writers alternate, appends fail and the store is emptied', async () => {
  let restored = 0;
  const fates = fc.array(fate, { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(randomFlow(), histories, fates, async (random, happened, fated) => {
      const runs = await runsOf(random, happened);
      const { reads } = await recorded(runs, fated);
      for (const read of reads) expectAsMade(read, runs);
      restored += reads.filter(({ kind }) => kind === 'restored').length;
    }),
    { numRuns: 100 },
  );
  expect(restored).toBeGreaterThan(100);
});

it('gives no wrong one back when the journal has dropped the oldest, and not few right ones', async () => {
  const counts = { restored: 0, cutOff: 0 };
  const bounds = { maxBytes: 20_000 };
  await fc.assert(
    fc.asyncProperty(randomFlow(), histories, async (random, happened) => {
      const runs = await runsOf(random, happened);
      const { reads } = await recorded([...runs, ...runs, ...runs], [], bounds);
      for (const read of reads) {
        counts[read.kind] += 1;
        expectAsMade(read, runs);
      }
    }),
    { numRuns: 60 },
  );
  expect(counts.restored).toBeGreaterThan(counts.cutOff);
});

it('costs no more than twice what changed, over a long life', async () => {
  const steps = Array.from({ length: 60 }, (_, index) => ({
    ...{ name: `s${index}`, after: [], retries: 0, failures: 0, hasTtl: false },
  }));
  const order = steps.map((_, index) => index);
  const random: RandomFlow = { steps, order, failurePolicy: 'ContinueIndependent' };
  const happened = steps.flatMap((_, index): readonly Happening[] => [
    { kind: 'finish', which: index },
    { kind: 'pass' },
  ]);
  const { journal } = await recorded(await runsOf(random, happened), []);
  const sizes = { whole: 0, difference: 0 };
  const records = (await journal.read(undefined, 10_000)).map(({ record }) => record);
  for (const record of records) {
    const kind = 'base' in record ? 'difference' : 'whole';
    sizes[kind] += JSON.stringify(record).length;
  }
  expect(records.length).toBeGreaterThan(60);
  const first = JSON.stringify(records[0]).length;
  const second = JSON.stringify(records[1]).length;
  expect(sizes.whole - first - second).toBeLessThan(sizes.difference * 1.5);
});
