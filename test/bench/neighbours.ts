/**
 * `npm run bench:neighbours`: how fast the flows of one namespace advance, without and beside the costliest objects of
 * another one. It uses a real API server with the webhooks of `millrace run`. All phases are in one run, so that their
 * ratios are meaningful. The figures are published at once, beside those of the other benchmarks.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FlowStep } from '#shared/api/job-flow.ts';
import type { JsonObject, NewObject, Resource } from '#shared/domain/objects.ts';
import type { SuspendPolicySpec } from '#shared/api/suspend-policy.ts';
import { omit } from '#shared/domain/omit.ts';
import { resources } from '#shared/domain/resources.ts';
import {
  widestSteps,
  wideLabels,
  worstPolicy,
  worstSteps,
} from '../support/costs/worst-objects.ts';
import { advanceLatencies } from './advance-latency.ts';
import { AuditWindow } from './audit-window.ts';
import { startTogether } from './contenders.ts';
import { FlowEnds } from './flow-ends.ts';
import { diamond, flowOf } from './flow-shapes.ts';
import { thisMachine } from './machine.ts';
import { percentile } from './percentile.ts';
import { publishBeside } from './publish-beside.ts';
import type { NeighbourRow } from './result.ts';
import { openSite, type Site } from './site.ts';

/** Five steps each, of which four have dependencies. */
const flowsPerPhase = 120;
const pauseMs = 300;
const atMostMs = 300_000;
/** Two namespaces of the site. */
const calm = 'bench-0';
const attacker = 'bench-3';
const say = (line: string) => process.stderr.write(`${line}\n`);

/** Policies that govern the flow beside them and let it run. */
function costliestObjects(
  name: string,
  steps: readonly FlowStep[],
): readonly (readonly [Resource, NewObject])[] {
  const { timeZone = 'UTC', windows = [] } = worstPolicy().schedule ?? {};
  const policy = (of: string, spec: SuspendPolicySpec) =>
    [
      resources.SuspendPolicy,
      {
        ...{ apiVersion: 'millrace.dev/v1alpha1', kind: 'SuspendPolicy' },
        metadata: { namespace: attacker, name: of },
        spec: spec as unknown as JsonObject,
      },
    ] as const;
  const containers = [{ name: 'main', image: 'busybox:1.28' }];
  const own = { apiVersion: 'api.practice.com/v1alpha1' };
  return [
    policy('windows', { selector: {}, schedule: { timeZone, windows } }),
    policy('everything', omit(worstPolicy(), 'namespaceSelector')),
    [
      resources.JobTemplate,
      {
        ...{ ...own, kind: 'JobTemplate', metadata: { namespace: attacker, name: 't' } },
        spec: { jobTemplate: { template: { spec: { containers } } } },
      },
    ],
    [
      resources.JobFlow,
      {
        ...{ ...own, kind: 'JobFlow' },
        metadata: { namespace: attacker, name, labels: wideLabels },
        spec: { flows: steps },
      },
    ],
  ];
}

/** The flows of a phase, one after the other at the same pace in each phase. */
async function phase(site: Site, name: string, prefix: string): Promise<NeighbourRow> {
  const stopping = new AbortController();
  const ends = await FlowEnds.watch(site.client, stopping.signal);
  const audit = new AuditWindow(site.cluster.auditLog);
  const start = await audit.mark();
  const flows = Array.from({ length: flowsPerPhase }, (_, index) =>
    flowOf(calm, `${prefix}${index}`, diamond),
  );
  const ended: Promise<void>[] = [];
  for (const flow of flows) {
    await site.client.create(resources.JobFlow, flow);
    ended.push(ends.of(flow.metadata));
    await sleep(pauseMs);
  }
  const late = AbortSignal.timeout(atMostMs);
  const tooLate = new Promise<never>((_, reject) => {
    late.addEventListener('abort', () => reject(new Error(`${name}: not ended in time`)));
  });
  await Promise.race([Promise.all(ended), ends.broken, tooLate]);
  stopping.abort();
  const requests = await audit.between(start, await audit.mark());
  const own = requests.filter(({ namespace }) => namespace === calm);
  const beside = requests.filter(
    ({ namespace, resource, verb, code }) =>
      namespace === attacker && resource === 'jobs' && verb === 'create' && code === 201,
  ).length;
  const latencies = advanceLatencies(own, diamond);
  return {
    ...{ name, samples: latencies.length, beside },
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

async function attacked(site: Site, width: 'wide' | 'deep', steps: readonly FlowStep[]) {
  const objects = costliestObjects(width, steps);
  for (const [resource, object] of objects) await site.client.create(resource, object);
  const row = await phase(site, `beside both policies and a ${width} flow of 5,000 steps`, width);
  for (const [resource, { metadata }] of objects.toReversed()) {
    const target = { namespace: attacker, name: metadata.name };
    await site.client.delete(resource, target);
  }
  await sleep(5_000);
  return row;
}

const startedAt = new Date().toISOString();
await using stack = new AsyncDisposableStack();
const site = await openSite(stack, 0, say);
await startTogether(site, stack, 'with webhooks');
await phase(site, 'warm-up', 'warm');
const phases = [
  () => phase(site, 'alone', 'before'),
  () => attacked(site, 'wide', widestSteps()),
  () => phase(site, 'alone again', 'between'),
  () => attacked(site, 'deep', worstSteps()),
  () => phase(site, 'alone at the end', 'after'),
];
const rows: NeighbourRow[] = [];
for (const measured of phases) {
  const row = await measured();
  rows.push(row);
  const { name, samples, beside, p50Ms, p99Ms } = row;
  const figures = `p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms`;
  process.stdout.write(`${name.padEnd(55)} ${samples} steps, ${figures}, ${beside} Jobs beside\n`);
}
await publishBeside({
  neighbours: { startedAt, command: 'npm run bench:neighbours', machine: thisMachine(), rows },
});
