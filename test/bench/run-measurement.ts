import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { PartUnavailable } from '../support/part-unavailable.ts';
import {
  advanceLatencies,
  countRequests,
  createdJobs,
  duplicateCreates,
} from './advance-latency.ts';
import { AuditWindow } from './audit-window.ts';
import type { Contender, Running } from './contenders.ts';
import { flowOf, diamond, type Shape } from './flow-shapes.ts';
import { runFlows } from './flow-run.ts';
import { nullWriter } from './null-writer.ts';
import { percentile } from './percentile.ts';
import { cpuMs, residentMiB } from './process-usage.ts';
import type { Figures, Measurement } from './result.ts';
import { readReviews, reviewsBetween } from './reviews.ts';
import { openSite, type Site } from './site.ts';
import type { Workload } from './workloads.ts';
import { readWrittenBytes, writtenBetween } from './written-bytes.ts';

/** Enough to compile every path in the controller and in the servers. */
const warmUpFlows = 20;
const nullWriterSteps = 500;
/** Time for a controller's last requests after the last flow's end. */
const settleMs = 1_500;
/** After a burst a process returns its memory once it has been quiet for a second. */
const restMs = 3_000;

/**
 * One workload by one contender, on a control plane of its own. So a figure depends neither on
 * earlier runs nor on other chosen workloads. Everything that it starts ends with `stack`.
 */
export async function runMeasurement(
  workload: Workload,
  contender: Contender,
  stack: AsyncDisposableStack,
  say: (line: string) => void,
): Promise<Measurement> {
  const { name, says, measures, series, flows, shape } = workload;
  return {
    ...{ workload: name, says, measures, contender: contender.name, flows },
    ...(series === undefined ? {} : { series }),
    stepsPerFlow: Object.keys(shape).length,
    ...(await measuredOrFault(workload, contender, stack, say)),
  };
}

/** A failed measurement is reported and does not stop the others. */
async function measuredOrFault(
  workload: Workload,
  contender: Contender,
  stack: AsyncDisposableStack,
  say: (line: string) => void,
): Promise<Pick<Measurement, 'ending' | 'figures'>> {
  try {
    const site = await openSite(stack, workload.jobRunMs, say);
    const running = await contender.start(site, stack);
    if (workload.isCold !== true) await warmUp(site, running);
    return await measure(workload, contender, site, running);
  } catch (error) {
    if (error instanceof PartUnavailable) throw error;
    return { ending: { kind: 'failed', reason: String(error) } };
  }
}

async function warmUp({ client, namespaces }: Site, running: Running): Promise<void> {
  const flows = flowsOf(namespaces, 'warm-up', warmUpFlows, diamond);
  const ending = await runFlows(client, flows, 'at once', patienceFor(running, 60));
  if (ending.kind !== 'ended') throw new Error(`warm-up ${ending.kind}: ${ending.reason}`);
}

async function measure(
  workload: Workload,
  contender: Contender,
  site: Site,
  running: Running,
): Promise<Pick<Measurement, 'ending' | 'figures'>> {
  const { flows: count, shape, order } = workload;
  const steps = count * Object.keys(shape).length;
  const flows = flowsOf(site.namespaces, workload.name, count, shape);
  const audit = new AuditWindow(site.cluster.auditLog);
  const own = pidsOf(running.processes);
  const servers = serversOf(site, running);

  const nullBefore = await nullWriter(site, 'before', nullWriterSteps);
  const writtenBefore = await readWrittenBytes(site.cluster);
  const start = await audit.mark();
  const cpuBefore = { own: each(own, cpuMs), servers: each(servers, cpuMs) };
  const reviewsBefore = await readReviews(running.reviewsAt);
  const startedMs = performance.now();
  const patience = patienceFor(running, workload.atMostSeconds);
  const ending = await runFlows(site.client, flows, order, patience);
  const seconds = (performance.now() - startedMs) / 1000;
  if (ending.kind !== 'ended') {
    const created = createdJobs(await audit.between(start, await audit.mark()));
    return { ending: { ...ending, reason: `${ending.reason} (${created} of ${steps} Jobs)` } };
  }
  const reviews = reviewsBetween(reviewsBefore, await readReviews(running.reviewsAt), seconds);
  await sleep(settleMs);

  const perStep = (after: Counts, before: Counts): Counts =>
    each(after, (value, name) => (value - (before[name] ?? 0)) / steps);
  const cpu = {
    ownCpuMsPerStep: perStep(each(own, cpuMs), cpuBefore.own),
    serverCpuMsPerStep: perStep(each(servers, cpuMs), cpuBefore.servers),
  };
  const requests = await audit.between(start, await audit.mark());
  const written = writtenBetween(writtenBefore, await readWrittenBytes(site.cluster));
  await sleep(restMs);
  const resident = {
    ownResidentMiB: each(own, residentMiB),
    serverResidentMiB: each(servers, residentMiB),
  };
  const nullAfter = await nullWriter(site, 'after', nullWriterSteps);

  const duplicates = duplicateCreates(requests);
  if (duplicates.length > 0) throw new Error(`created twice: ${duplicates.join(', ')}`);
  const latencies = advanceLatencies(requests, shape);
  const figures: Figures = {
    seconds,
    stepsPerSecond: steps / seconds,
    ...(ending.applyMs === undefined ? {} : { applySeconds: ending.applyMs / 1000 }),
    ...(reviews === undefined ? {} : { reviews }),
    nullWriter: { before: nullBefore, after: nullAfter },
    advance: {
      samples: latencies.length,
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
    },
    requestsPerStep: perStep(countRequests(requests, contender.userAgent), {}),
    ...cpu,
    sentBytesPerStep: perStep(written.bodies, {}),
    etcdLogBytesPerStep: written.etcdLog / steps,
    ...resident,
  };
  return { ending, figures };
}

function flowsOf(namespaces: readonly string[], prefix: string, count: number, shape: Shape) {
  return Array.from({ length: count }, (_, index) =>
    flowOf(namespaces[index % namespaces.length] ?? '', `${prefix}-${index}`, shape),
  );
}

/** Returns a reason to stop waiting: too much time, or a process that has ended. */
function patienceFor({ processes }: Running, seconds: number) {
  const untilMs = performance.now() + seconds * 1000;
  return async (): Promise<string | undefined> => {
    for (const [name, { pid, logFile }] of processes) {
      if (pid === undefined) return `${name} ended: ${await lastWordsIn(logFile)}`;
    }
    return performance.now() > untilMs ? `not ended after ${seconds} s` : undefined;
  };
}

/** The line with the error, if Node wrote one. */
async function lastWordsIn(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8')).trimEnd().split('\n');
  return lines.findLast((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1) ?? '';
}

type Counts = Readonly<Record<string, number>>;

function each(counts: Counts, of: (value: number, name: string) => number): Counts {
  return Object.fromEntries(
    Object.entries(counts).map(([name, value]) => [name, of(value, name)] as const),
  );
}

function pidsOf(processes: Running['processes']): Counts {
  return Object.fromEntries([...processes].map(([name, { pid = 0 }]) => [name, pid]));
}

function serversOf({ cluster }: Site, { redis }: Running): Counts {
  return {
    'kube-apiserver': cluster.pidOf('kube-apiserver') ?? 0,
    etcd: cluster.pidOf('etcd') ?? 0,
    ...(redis === undefined ? {} : { Redis: redis.pid ?? 0 }),
  };
}
