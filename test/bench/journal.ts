/**
 * What a record of a decision costs: bytes in the journal, and CPU beside that of the decision itself.
 * One process, no cluster: flows in layers of 8 live through the model cluster of flow-advance's tests,
 * and every object comes anew from its JSON, as from a watch.
 */
import { parseArgs } from 'node:util';
import { decide } from '#functions/flow-advance/decide.ts';
import { observe } from '#functions/flow-advance/observe.ts';
import type { FlowSnapshot } from '#functions/flow-advance/snapshot.ts';
import { flow, step } from '#functions/flow-advance/testing/builders.ts';
import { finish } from '#functions/flow-advance/testing/job-controller.ts';
import { ModelCluster } from '#functions/flow-advance/testing/model-cluster.ts';
import { asEventId, type KubeObject } from '#shared/domain/objects.ts';
import type { Appended, JournalRecord } from '#shared/journal/journal.ts';
import { createMemoryJournal } from '#shared/journal/memory-journal.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { createDecisionRecorder } from '#shared/runtime/function/decision-recorder.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';

const { values: flags } = parseArgs({
  options: {
    steps: { type: 'string', default: '32,128,256' },
    repeats: { type: 'string', default: '5' },
  },
});
const layer = 8;

interface Cost {
  records: number;
  whole: number;
  bytes: number;
  decideMs: number;
  recordMs: number;
  /** Of all that was seen and decided, as text. */
  fullBytes: number;
}

for (const count of flags.steps.split(',').map(Number)) {
  // The first one warms the code up.
  await lifeOf(count);
  const costs: Cost[] = [];
  for (let n = 0; n < Number(flags.repeats); n += 1) costs.push(await lifeOf(count));
  report(count, costs);
}

/** One flow from its start to its end, one Job after the other. */
async function lifeOf(count: number): Promise<Cost> {
  const cluster = new ModelCluster(layered(count));
  const cost: Cost = { records: 0, whole: 0, bytes: 0, decideMs: 0, recordMs: 0, fullBytes: 0 };
  const journal = createMemoryJournal({ clock: systemClock });
  const append = async (records: readonly JournalRecord[]): Promise<Appended> => {
    const appended = await journal.append(records);
    cost.records += 1;
    cost.bytes += appended.bytes;
    if (records.every((record) => !('base' in record))) cost.whole += 1;
    return appended;
  };
  const record = createDecisionRecorder<FlowSnapshot>({
    fn: { name: 'flow-advance' },
    journal: { append },
    version: 'bench',
  });
  const reader = asFromWatch(cluster);
  const pass = async (): Promise<number> => {
    const snapshot = await observe(cluster.key, reader);
    if (snapshot === undefined) throw new Error('the flow is gone');
    const input = { nowMs: cluster.nowMs };
    const startedMs = performance.now();
    const decision = decide(snapshot, input);
    const decidedMs = performance.now();
    const writes = cluster.writes;
    cluster.apply(decision.plan);
    const appliedMs = performance.now();
    const item = {
      function: 'flow-advance',
      key: cluster.key,
      cause: asEventId('bench.1'),
    } as const;
    const durationMs = { observe: 1.234, decide: 0.345, apply: 12.345 };
    const before = cost.records;
    await record({ item, snapshot, input, decision, outcome: 'applied', durationMs });
    const recordedMs = performance.now();
    if (cost.records > before) {
      cost.fullBytes += JSON.stringify({ snapshot, plan: decision.plan }).length;
      cost.decideMs += decidedMs - startedMs;
      cost.recordMs += recordedMs - appliedMs;
    }
    return cluster.writes - writes;
  };
  const settle = async (): Promise<void> => {
    while ((await pass()) > 0);
  };
  await settle();
  while (cluster.flow?.status?.completionTime === undefined) {
    const running = cluster.jobs().find(({ status }) => status === undefined);
    if (running === undefined) throw new Error('the flow does not go on');
    cluster.nowMs += 1_000;
    finish(cluster, running.metadata.name, 'Complete');
    await settle();
  }
  return cost;
}

function layered(count: number) {
  const nameOf = (index: number): string => `step-${index}`;
  return flow(
    Array.from({ length: count }, (_, index) => {
      const first = Math.floor(index / layer) * layer - layer;
      const before = Array.from({ length: layer }, (_of, n) => nameOf(first + n));
      return step(nameOf(index), first < 0 ? {} : { after: before });
    }),
  );
}

/** Each version of an object is parsed once. */
function asFromWatch(cluster: ModelCluster): Reader {
  const parsed = new WeakMap<KubeObject, KubeObject>();
  const parse = (object: KubeObject): KubeObject => {
    const known = parsed.get(object) ?? (JSON.parse(JSON.stringify(object)) as KubeObject);
    parsed.set(object, known);
    return known;
  };
  return {
    get: async (kind, name) => {
      const object = await cluster.get(kind, name);
      return object === undefined ? undefined : parse(object);
    },
    list: async (kind) => (await cluster.list(kind)).map(parse),
    listByOwner: async (kind, owner) => (await cluster.listByOwner(kind, owner)).map(parse),
    listByOwners: async (kind, root, children) =>
      (await cluster.listByOwners(kind, root, children)).map(parse),
  };
}

function report(count: number, costs: readonly Cost[]): void {
  const sum = (of: (cost: Cost) => number): number =>
    costs.reduce((total, cost) => total + of(cost), 0);
  const records = sum((cost) => cost.records);
  const per = (of: (cost: Cost) => number): number => sum(of) / records;
  const [decideMs, recordMs] = [per((cost) => cost.decideMs), per((cost) => cost.recordMs)];
  const wholeShare = (100 * sum((cost) => cost.whole)) / records;
  process.stdout.write(
    [
      `${count} steps: ${(per((cost) => cost.bytes) / 1000).toFixed(1)} KB a record`,
      `in full ${(per((cost) => cost.fullBytes) / 1000).toFixed(1)} KB`,
      `${wholeShare.toFixed(1)} % stand for themselves`,
      `recording ${recordMs.toFixed(2)} ms, deciding ${decideMs.toFixed(2)} ms`,
      `ratio ${(recordMs / decideMs).toFixed(2)}`,
    ].join(', ') + '\n',
  );
}
