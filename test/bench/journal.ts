/**
 * `npm run bench:journal`: the cost of the journal, and the speed of replay. It needs no cluster. Flows in layers of 8
 * run on the model cluster of flow-advance's tests, once without a journal and once with one in a Redis of its own.
 * Every object is parsed from JSON anew, as from a watch. Replay is measured on these decisions and on the frozen
 * recording of all functions. `--publish` publishes the figures.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Redis as RedisClient } from 'ioredis';
import { decide } from '#functions/flow-advance/decide.ts';
import { observe } from '#functions/flow-advance/observe.ts';
import type { FlowSnapshot } from '#functions/flow-advance/snapshot.ts';
import { flow, step } from '#functions/flow-advance/testing/builders.ts';
import { finish } from '#functions/flow-advance/testing/job-controller.ts';
import { ModelCluster } from '#functions/flow-advance/testing/model-cluster.ts';
import { functions } from '#functions/list.ts';
import { chosenDecisions } from '#functions/millrace/journal/choose-entries.ts';
import { replayEntries } from '#functions/millrace/replay/replay-entries.ts';
import { asEventId, type KubeObject } from '#shared/domain/objects.ts';
import { jobReference } from '#shared/events/testing/job-reference.ts';
import { type Journal, journalFormat } from '#shared/journal/journal.ts';
import {
  entriesIn,
  entriesOf,
  type RecordedDecision,
  type RecordedEntry,
  recordingHead,
} from '#shared/journal/recording.ts';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { silentLog } from '#shared/redis/log.ts';
import { infoField } from '#shared/redis/server-check.ts';
import { createDecisionRecorder } from '#shared/runtime/function/decision-recorder.ts';
import { startRedis } from '../support/redis.ts';
import { thisMachine } from './machine.ts';
import { publishBeside } from './publish-beside.ts';
import type { JournalCost, JournalRun, ReplayRate } from './result.ts';

const { values: flags } = parseArgs({
  options: {
    steps: { type: 'string', default: '3,32,128' },
    repeats: { type: 'string', default: '5' },
    publish: { type: 'boolean', default: false },
  },
});
const repeats = Number(flags.repeats);
const layer = 8;
const frozen = join(import.meta.dirname, '../replay/format-1.ndjson');
const byName = new Map(functions.map((fn) => [fn.subscription.name, fn]));

await using redis = Object.assign(await startRedis(), {
  [Symbol.asyncDispose]: () => redis.stop(),
});
const client = new RedisClient(redis.url);
const journals: Journal[] = [];
const print = (...parts: readonly string[]) => process.stdout.write(`${parts.join(', ')}\n`);

const startedAt = new Date().toISOString();
const costs: JournalCost[] = [];
const replays: ReplayRate[] = [];
for (const count of flags.steps.split(',').map(Number)) await measure(count);
const event = await measureEvents();
const lines = (await readFile(frozen, 'utf8')).trimEnd().split('\n');
await measureReplay('the frozen recording of all functions', () =>
  entriesIn(many(lines, 10), { decisionsOnly: true }),
);
for (const journal of journals) await journal.close();
client.disconnect();
if (flags.publish) {
  const command = 'npm run bench:journal';
  await publishBeside({
    journal: { startedAt, command, machine: thisMachine(), costs, replays, event },
  });
}

async function measure(count: number): Promise<void> {
  const [off, on] = [[] as Life[], [] as Life[]];
  // The first ones warm up the code.
  await lifeOf(count);
  await lifeOf(count, newJournal());
  for (let n = 0; n < repeats; n += 1) {
    off.push(await lifeOf(count));
    on.push(await lifeOf(count, newJournal()));
  }
  const per = (lives: readonly Life[], of: (life: Life) => number): number =>
    lives.reduce((sum, life) => sum + of(life), 0) / (lives.length * count);
  // Other load on the machine can only increase it.
  const least = (lives: readonly Life[], of: (life: Life) => number): number =>
    Math.min(...lives.map(of)) / count;
  const cost: JournalCost = {
    steps: count,
    records: per(on, ({ records }) => records),
    cpuMsWithout: least(off, ({ cpuMs }) => cpuMs),
    cpuMsWith: least(on, ({ cpuMs }) => cpuMs),
    redisCpuMs: per(on, ({ redisMs }) => redisMs),
    redisBytes: per(on, ({ redisBytes }) => redisBytes),
    fullBytes: per(on, ({ fullBytes }) => fullBytes),
  };
  costs.push(cost);
  print(
    `${count} steps: per step ${cost.records.toFixed(1)} records`,
    `${cost.cpuMsWithout.toFixed(2)} ms of CPU without and ${cost.cpuMsWith.toFixed(2)} ms with them`,
    `${cost.redisCpuMs.toFixed(2)} ms and ${(cost.redisBytes / 1_000).toFixed(1)} KB of Redis`,
    `in full they were ${(cost.fullBytes / 1_000).toFixed(1)} KB`,
  );
  const journal = newJournal();
  for (let n = 0; n < 300 / count; n += 1) await lifeOf(count, journal);
  const recording = [recordingHead('bench', 0)];
  for await (const entry of entriesOf(journal)) recording.push(JSON.stringify(entry));
  await measureReplay(`flows of ${count} steps, out of Redis`, () =>
    entriesOf(journal, { decisionsOnly: true }),
  );
  await measureReplay(`flows of ${count} steps, out of a recording`, () =>
    entriesIn(many(recording, 1), { decisionsOnly: true }),
  );
}

async function measureReplay(name: string, entries: () => AsyncIterable<RecordedEntry>) {
  const rate = { name, ...(await rateOf(entries)) };
  replays.push(rate);
  print(
    `${name}: ${Math.round(rate.decisionsPerCpuSecond)} decisions in a second of CPU`,
    `${Math.round(rate.decideShare * 100)} % of it in decide`,
  );
}

/** An event of a Job, and the id that identifies a repeat. */
async function measureEvents(): Promise<JournalRun['event']> {
  const before = await redisUse();
  const events = Array.from({ length: 5_000 }, (_, n) => ({
    ...({ kind: 'event', format: journalFormat, atMs: n } as const),
    event: { ...jobReference, id: asEventId(`${crypto.randomUUID()}.${n}`) },
  }));
  await newJournal().append(events);
  const after = await redisUse();
  const figures = {
    redisBytes: (after.bytes - before.bytes) / events.length,
    redisCpuMs: (after.cpuMs - before.cpuMs) / events.length,
  };
  print(
    `an event: ${Math.round(figures.redisBytes)} bytes`,
    `${(figures.redisCpuMs * 1_000).toFixed(0)} microseconds of Redis`,
  );
  return figures;
}

interface Life {
  records: number;
  /** CPU of this process, including everything else. */
  cpuMs: number;
  redisMs: number;
  redisBytes: number;
  /** Size of all snapshots and decisions as text. */
  fullBytes: number;
}

/** One flow from start to end, one Job after the other. */
async function lifeOf(count: number, journal?: Journal): Promise<Life> {
  const cluster = new ModelCluster(layered(count));
  const life: Life = { records: 0, cpuMs: 0, redisMs: 0, redisBytes: 0, fullBytes: 0 };
  const record = createDecisionRecorder<FlowSnapshot>({
    ...{ fn: { name: 'flow-advance' }, version: 'bench' },
    journal: {
      append: async (records) => {
        life.records += records.length;
        return (await journal?.append(records)) ?? { bytes: 0 };
      },
    },
  });
  const reader = asFromWatch(cluster);
  const cause = asEventId('bench.1');
  const item = { function: 'flow-advance', key: cluster.key, cause } as const;
  const durationMs = { observe: 1.234, decide: 0.345, apply: 12.345 };
  const before = await redisUse();
  const cpu = process.cpuUsage();
  let notCountedUs = 0;
  const pass = async (): Promise<number> => {
    const snapshot = await observe(cluster.key, reader);
    if (snapshot === undefined) throw new Error('the flow is gone');
    const input = { nowMs: cluster.nowMs };
    const decision = decide(snapshot, input);
    const writes = cluster.writes;
    cluster.apply(decision.plan);
    if (journal !== undefined) {
      const known = life.records;
      await record({ item, snapshot, input, decision, outcome: 'applied', durationMs });
      const aside = process.cpuUsage();
      if (life.records > known) life.fullBytes += JSON.stringify({ snapshot, decision }).length;
      notCountedUs += total(process.cpuUsage(aside));
    }
    return cluster.writes - writes;
  };
  const settle = async (): Promise<void> => {
    while ((await pass()) > 0);
  };
  await settle();
  while (cluster.flow?.status?.completionTime === undefined) {
    const running = cluster.jobs().find(({ status }) => status === undefined);
    if (running === undefined) throw new Error('the flow does not continue');
    cluster.nowMs += 1_000;
    finish(cluster, running.metadata.name, 'Complete');
    await settle();
  }
  life.cpuMs = (total(process.cpuUsage(cpu)) - notCountedUs) / 1_000;
  const after = await redisUse();
  life.redisMs = after.cpuMs - before.cpuMs;
  life.redisBytes = after.bytes - before.bytes;
  return life;
}

function newJournal(): Journal {
  const prefix = `{bench-${journals.length}}`;
  const journal = createRedisJournal({ url: redis.url, insecure: false, prefix, log: silentLog });
  journals.push(journal);
  return journal;
}

async function redisUse(): Promise<{ readonly cpuMs: number; readonly bytes: number }> {
  const info = await client.info();
  const field = (name: string) => Number(infoField(info, name));
  return {
    cpuMs: (field('used_cpu_user') + field('used_cpu_sys')) * 1_000,
    bytes: field('used_memory_dataset'),
  };
}

/** The best of several passes; earlier ones warm up the code. */
async function rateOf(
  entries: () => AsyncIterable<RecordedEntry>,
): Promise<Omit<ReplayRate, 'name'>> {
  await replayed(entries());
  const each = await leastMs(async () => {
    const before = process.cpuUsage();
    const decisions = await replayed(entries());
    return { decisions, cpuMs: total(process.cpuUsage(before)) / 1_000 };
  });
  return { decisionsPerCpuSecond: 1_000 / each, decideShare: (await decideMsOf(entries())) / each };
}

async function replayed(entries: AsyncIterable<RecordedEntry>): Promise<number> {
  const tally = await replayEntries(chosenDecisions(entries, undefined, {}), byName, {
    onDifference: ({ difference }) => {
      throw new Error(`a decision differs at ${difference.path}`);
    },
  });
  return tally.decisions;
}

/** Average CPU of one decide, with snapshots parsed anew from JSON. */
async function decideMsOf(entries: AsyncIterable<RecordedEntry>): Promise<number> {
  const texts: string[] = [];
  for await (const entry of entries) {
    if (entry.kind === 'decision' && texts.length < 2_000) texts.push(JSON.stringify(entry));
  }
  return leastMs(() => {
    const fresh = texts.map((text) => JSON.parse(text) as RecordedDecision);
    const before = process.cpuUsage();
    for (const { function: name, snapshot, nowMs, isUnderLoad } of fresh) {
      byName.get(name)?.decide(snapshot, { nowMs, isUnderLoad });
    }
    return Promise.resolve({
      decisions: fresh.length,
      cpuMs: total(process.cpuUsage(before)) / 1_000,
    });
  });
}

/** Time of one decision in the fastest pass. Passes are repeated for a second. */
async function leastMs(
  pass: () => Promise<{ readonly decisions: number; readonly cpuMs: number }>,
): Promise<number> {
  let [least, cpuMs] = [Infinity, 0];
  while (cpuMs < 1_000) {
    const made = await pass();
    cpuMs += made.cpuMs;
    least = Math.min(least, made.cpuMs / made.decisions);
  }
  return least;
}

/** A recording with repeated entries. */
async function* many([head = '', ...entries]: readonly string[], times: number) {
  yield await Promise.resolve(head);
  for (let n = 0; n < times; n += 1) yield* entries;
}

function total({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
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
