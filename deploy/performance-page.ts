import { daemonColumns, daemonRowsOf } from '#test/bench/daemons/daemon-summary.ts';
import type {
  BenchResult,
  CostRun,
  DaemonRun,
  JournalRun,
  Machine,
  NeighbourRun,
} from '#test/bench/result.ts';
import {
  columns,
  growthsOf,
  nullWriterOf,
  type Row,
  rowsOf,
  type Spread,
} from '#test/bench/summary.ts';

/** Path of the published figures from the root of the repository: a copy of a run's JSON. */
export const figuresPath = 'docs/performance.json';
export const performancePagePath = 'docs/performance.md';

const notice = '<!-- Generated from performance.json; do not edit. -->';

const reading = `## How it is measured

\`npm run bench\` starts a real etcd and kube-apiserver, without kubelets, for every measurement anew, and
Redis for Millrace. Another client completes each Job with one status patch, so that the controller is
measured and not Pods. Millrace runs as shipped, in one process with webhooks as \`millrace run\` starts
it; together, in the same process without webhooks; and apart, with bridge, dispatcher and functions as
processes under their own Roles and without webhooks. After a short warm-up the flows are applied
and awaited. The load and the servers share the machine with what is measured.

Figures of different machines say little of one another; ratios within one run say more. There are two:

- The **null writer** posts Jobs and patches their status, eight at once, with no flow behind them. It
  runs on the same servers right before and right after each measurement.
- The **null controller** runs the same flows with no logic: it watches, creates the Jobs of a wave as
  soon as what they depend on is complete, and writes a status of the same size. It has no queue,
  journal, rules, Events or retries. It writes the status at each wave, or only at start and end. The figure
  "of the null controller" is the ratio to the one that writes at each wave. For flows of more
  than 1,000 steps it writes counts only, since the records of so many steps do not fit into one object.

| figure               | what it is                                                                                    |
| -------------------- | --------------------------------------------------------------------------------------------- |
| steps per second     | all steps, from the first flow's creation to the last flow's end as a watch reports it        |
| advance              | from the commit of the last dependency's end to the commit of the Job, by the audit log       |
| applying             | until the last flow was created, with eight creates at once                                   |
| review p50 and p99   | from the arrival of a review to its answer, by Millrace's own metric                          |
| own requests         | what the controller sent, by user agent in the audit log                                      |
| CPU                  | user and system time of the processes, with what the servers do when at rest                  |
| own KB sent          | bodies of the controller's writes: \`apiserver_request_body_size_bytes\` of the API server    |
| etcd log KB          | what etcd wrote for all clients, the completed Jobs too: \`etcd_disk_wal_write_bytes_total\`    |
| own memory           | resident memory of the controller's processes, a few seconds after the end                    |
| exponent             | e in cost = c · length^e over chains of different lengths: 1 is linear, 2 is quadratic        |

A **DaemonJob** is measured on a whole control plane with that many nodes: the Job controller, the
scheduler and kwok run its Pods. Its null writer lists the nodes and creates the same Jobs in batches of
the same growing size, sixteen at once, and looks at nothing that becomes of them. Times are those of
commits in the audit log, from the DaemonJob's on; the end of the null writer's Jobs stands for its success.
The control plane takes nearly all of the processors, so that a ratio below 1 is scatter and no gain.

The figures of AppWrappers are on [their page](appwrapper.md#figures).

Where a workload was not run to its end, the reason stands in place of the figures. Those of the last run
are published by \`npm run bench:page\`, which writes this page and the file that it is made of.
`;

/** Without a result, the page says how to measure and that there are no figures yet. */
export function performancePage(result: BenchResult | undefined): string {
  const figures =
    result === undefined
      ? '## Figures\n\nNone are published for this version.\n'
      : figuresOf(result);
  return [notice, '\n# Performance\n', reading, figures].join('\n');
}

function figuresOf(result: BenchResult): string {
  const { machine, command, startedAt, settings, measurements } = result;
  const rows = rowsOf(measurements);
  const byWorkload = [...Map.groupBy(rows, ({ workload }) => workload)];
  return [
    '## Figures\n',
    `\`${command}\`, ${startedAt.slice(0, 10)}: ${describe(machine)}.\n`,
    settings === undefined ? '' : `Millrace's processes were started with \`${settings}\`.\n`,
    steadiness(result),
    ...byWorkload.map(([workload, its]) => workloadSection(workload, its)),
    ...(result.daemons === undefined ? [] : [daemonSection(result.daemons)]),
    growthSection(result),
    requestsSection(result),
    ...(result.costs === undefined ? [] : [costSection(result.costs)]),
    ...(result.neighbours === undefined ? [] : [neighbourSection(result.neighbours)]),
    ...(result.journal === undefined ? [] : [journalSection(result.journal)]),
  ].join('\n');
}

function describe(machine: Machine): string {
  const { processor, cores, memoryGiB, system, node, kubernetes, etcd, millrace } = machine;
  return (
    `Millrace ${millrace} on ${cores} cores (${processor}), ${memoryGiB} GiB, ${system}, ` +
    `Node ${node}, Kubernetes ${kubernetes}, etcd ${etcd}`
  );
}

function steadiness({ measurements }: BenchResult): string {
  const writer = nullWriterOf(measurements);
  if (writer === undefined) return '';
  return (
    `The null writer made ${cellOf(writer.stepsPerSecond, 0)} steps per second over the whole run, at ` +
    `${cellOf(writer.apiServerCpuMsPerStep, 1)} ms of the API server's CPU per step; the wider apart its ` +
    `speeds lie, the less steady the machine was.\n`
  );
}

function workloadSection(workload: string, rows: readonly Row[]): string {
  const shown = columns.flatMap((column, index) =>
    rows.some(({ cells }) => cells[index] !== undefined) ? [{ ...column, index }] : [],
  );
  const body = rows.map(({ contender, cells, fault }) => {
    if (fault !== undefined) return [contender, escaped(fault), ...shown.slice(1).map(() => '')];
    return [contender, ...shown.map(({ index, digits }) => cellOf(cells[index], digits))];
  });
  const heads = shown.length === 0 ? ['outcome'] : shown.map(({ head }) => head);
  return `### ${workload}\n\n${capitalised(rows[0]?.says ?? '')}.\n\n${table(['controller', ...heads], body)}`;
}

function daemonSection({ command, startedAt, machine, measurements }: DaemonRun): string {
  const byWorkload = [...Map.groupBy(daemonRowsOf(measurements), ({ workload }) => workload)];
  const where = `DaemonJobs: \`${command}\`, ${startedAt.slice(0, 10)}: ${describe(machine)}.\n`;
  const sections = byWorkload.map(([workload, rows]) => {
    const body = rows.map(({ contender, cells, fault }) => [
      contender,
      ...(fault === undefined
        ? cells.map((cell, index) => cell?.toFixed(daemonColumns[index]?.digits) ?? '')
        : [escaped(fault), ...cells.slice(1).map(() => '')]),
    ]);
    const heads = ['controller', ...daemonColumns.map(({ head }) => head)];
    const says = capitalised(rows[0]?.says ?? '');
    return `### ${workload}\n\n${says}.\n\n${table(heads, body)}`;
  });
  return [where, ...sections].join('\n');
}

function costSection({ command, startedAt, machine, rows }: CostRun): string {
  const body = rows.map(({ name, worstMs, plainMs }) => [
    name,
    worstMs.toFixed(1),
    plainMs.toFixed(2),
  ]);
  const where = `\`${command}\`, ${startedAt.slice(0, 10)}: ${describe(machine)}.`;
  const says =
    'Milliseconds of CPU for one decision or one review: about the costliest object that the schema takes, and about a plain one. Nothing is remembered of either.';
  return `### The cost of one object\n\n${where} ${says}\n\n${table(['one of these', 'worst', 'plain'], body)}`;
}

function neighbourSection({ command, startedAt, machine, rows }: NeighbourRun): string {
  const alone = rows[0]?.p99Ms ?? Number.NaN;
  const body = rows.map(({ name, samples, p50Ms, p99Ms, beside }) => [
    ...[name, String(samples), p50Ms.toFixed(0), p99Ms.toFixed(0)],
    ...[(p99Ms / alone).toFixed(2), String(beside)],
  ]);
  const where = `\`${command}\`, ${startedAt.slice(0, 10)}: ${describe(machine)}.`;
  const says =
    'Flows of one namespace start at a steady pace, alone and while another namespace applies the 16-window policy, the policy with 128 exceptions and 64 requirements, and a flow of 5,000 steps at once. One `millrace run` with webhooks serves both, and the API server is real. Ratios are to the first line.';
  const heads = [
    'phase',
    'steps',
    'advance p50, ms',
    'p99, ms',
    'ratio of p99',
    'Jobs of the other',
  ];
  return `### Beside the costliest objects of another namespace\n\n${where} ${says}\n\n${table(heads, body)}`;
}

function journalSection({ command, startedAt, machine, ...run }: JournalRun): string {
  const where = `\`${command}\`, ${startedAt.slice(0, 10)}: ${describe(machine)}.`;
  const says =
    'Flows in layers of eight steps advance through a model of a cluster, one Job after another, without a journal and with one in Redis. CPU is that of reading, deciding and recording, for one step, in the run that took the least; nothing is sent to an API server.';
  const costs = run.costs.map(({ steps, records, ...cost }) => [
    ...[String(steps), records.toFixed(1)],
    ...[cost.cpuMsWithout.toFixed(2), cost.cpuMsWith.toFixed(2), cost.redisCpuMs.toFixed(2)],
    ...[cost.redisBytes, cost.fullBytes].map((bytes) => (bytes / 1_000).toFixed(1)),
  ]);
  const costHeads = [
    ...['steps of a flow', 'records per step', 'CPU ms per step without', 'with'],
    ...['Redis CPU ms per step', 'Redis KB per step', 'KB if all were stored whole'],
  ];
  const { redisBytes, redisCpuMs } = run.event;
  const event = `An event takes ${Math.round(redisBytes)} bytes and ${(redisCpuMs * 1_000).toFixed(0)} microseconds of Redis.`;
  const replays = run.replays.map(({ name, decisionsPerCpuSecond, decideShare }) => [
    ...[name, String(Math.round(decisionsPerCpuSecond)), `${Math.round(decideShare * 100)} %`],
  ]);
  const replayHeads = ['`replay` of', 'decisions per CPU second', 'of it in decide'];
  return [
    `### The journal\n\n${where} ${says}\n`,
    `${table(costHeads, costs)}\n${event}\n\n${table(replayHeads, replays)}`,
  ].join('\n');
}

function growthSection({ measurements }: BenchResult): string {
  const rows = growthsOf(measurements).map(({ series, contender, sizes, time, apiServerCpu }) => [
    ...[series, contender, sizes.join(', ')],
    ...[time.toFixed(2), apiServerCpu.toFixed(2)],
  ]);
  if (rows.length === 0) return '';
  const heads = ['flows', 'controller', 'steps', 'exponent of time', 'of API server CPU'];
  return `### Growth with the length of a flow\n\n${table(heads, rows)}`;
}

/** By kind, from the first repeat: workloads differ more than repeats. */
function requestsSection({ measurements }: BenchResult): string {
  const first = new Map(
    measurements.toReversed().map((each) => [`${each.workload}, ${each.contender}`, each]),
  );
  const rows = [...first.values()]
    .toReversed()
    .flatMap(({ workload, contender, figures }) =>
      figures === undefined ? [] : [[workload, contender, kindsOf(figures.requestsPerStep)]],
    );
  if (rows.length === 0) return '';
  const heads = ['workload', 'controller', 'own requests per step'];
  return `### Own requests by kind\n\n${table(heads, rows)}`;
}

function kindsOf(requests: Readonly<Record<string, number>>): string {
  return Object.entries(requests)
    .toSorted(([, a], [, b]) => b - a)
    .filter(([, count]) => count >= 0.005)
    .map(([kind, count]) => `${count.toFixed(2)} ${kind}`)
    .join('; ');
}

function cellOf(spread: Spread | undefined, digits: number): string {
  if (spread === undefined) return '';
  const text = (value: number) => value.toFixed(digits);
  const { median, least, most } = spread;
  if (text(least) === text(most)) return text(median);
  return `${text(median)} (${text(least)} to ${text(most)})`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return `${[heads, heads.map(() => '---'), ...rows].map(line).join('\n')}\n`;
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
