/** `npm run bench -- --help` lists the options. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { type Contender, contenders, imageSettings } from './contenders.ts';
import type { DaemonContenderName, DaemonMeasurement } from './daemons/daemon-result.ts';
import { daemonRowsOf } from './daemons/daemon-summary.ts';
import { daemonTableHead, daemonTableLine } from './daemons/daemon-table.ts';
import { type DaemonWorkload, daemonWorkloads } from './daemons/daemon-workloads.ts';
import { runDaemonMeasurement } from './daemons/run-daemon-measurement.ts';
import { thisMachine } from './machine.ts';
import { type BenchResult, type Measurement, resultFormat } from './result.ts';
import { runMeasurement } from './run-measurement.ts';
import { growthsOf, nullWriterOf, rowsOf } from './summary.ts';
import { growthLine, nullWriterLine, tableHead, tableLine } from './terminal-table.ts';
import { type Workload, workloads, workloadsNamed } from './workloads.ts';

const root = join(import.meta.dirname, '../..');
const standardFile = 'test/bench/results/bench.json';

const usage = `npm run bench [-- OPTIONS]

Measures Millrace on a real etcd and kube-apiserver, with a client that completes the Jobs, beside a
writer without logic and a controller without logic. DaemonJobs run on a whole control plane, with Job
controller, scheduler and kwok, beside a writer of their Jobs. Every measurement has servers of its own. A
row is printed, and all figures so far are written as JSON, as soon as it is known.

  --only NAME[,NAME]  these workloads alone
  --shipped           Millrace in one process with webhooks, as \`millrace run\` starts it
  --together          the same without webhooks
  --apart             bridge, dispatcher and functions as processes; all three when none is named
  --repeats N         each measurement so often; 1
  --json FILE         where the figures go; ${standardFile}
  --help              this text

Workloads:
${[...workloads, ...daemonWorkloads].map(({ name, says }) => `  ${name.padEnd(18)}  ${says}`).join('\n')}

Columns: steps per second; their ratio to those of the null writer and of the null controller that
writes the status at each wave; advance, the time from the end of the last dependency to the creation
of the Job; seconds until all flows are applied; reviews per second and how long they take; own requests, milliseconds of CPU and kilobytes per step; resident memory. Of a DaemonJob:
seconds to the last Job, to the last end and to Succeed, those of the null writer beside them; the same
per node; kilobytes of the status.

\`npm run bench:page\` makes docs/performance.md of the figures.
`;

const args = process.argv.slice(2);
const { values: flags } = parseArgs({
  args,
  options: {
    only: { type: 'string' },
    shipped: { type: 'boolean', default: false },
    together: { type: 'boolean', default: false },
    apart: { type: 'boolean', default: false },
    repeats: { type: 'string', default: '1' },
    json: { type: 'string', default: join(root, standardFile) },
    help: { type: 'boolean', default: false },
  },
});

/** Everything that was started for the current measurement. */
let started = new AsyncDisposableStack();
/** Set by a signal: ends the process when everything is stopped. */
let stopping: Promise<never> | undefined;
const say = (line: string) => process.stderr.write(`${line}\n`);
const print = (line: string) => process.stdout.write(`${line}\n`);

if (flags.help) process.stdout.write(usage);
else {
  const wanted = chosenOrExit();
  endOnSignals();
  await bench(wanted);
}

async function bench({ flows, daemons }: Wanted): Promise<void> {
  const startedAt = new Date().toISOString();
  const measurements: Measurement[] = [];
  const ofDaemons: DaemonMeasurement[] = [];
  const keep = () => write(startedAt, measurements, ofDaemons);
  if (flows.length > 0) print(tableHead());
  for (const { workload, contender } of flows) {
    for (let repeat = 0; repeat < Number(flags.repeats); repeat += 1) {
      const measurement = await measured((stack) =>
        runMeasurement(workload, contender, stack, say),
      );
      measurements.push(measurement);
    }
    const row = rowsOf(measurements).at(-1);
    if (row !== undefined) print(tableLine(row));
    await keep();
  }
  if (daemons.length > 0) print(daemonTableHead());
  for (const { workload, contender } of daemons) {
    for (let repeat = 0; repeat < Number(flags.repeats); repeat += 1) {
      const measurement = await measured((stack) =>
        runDaemonMeasurement(workload, contender, stack, say),
      );
      ofDaemons.push(measurement);
    }
    const row = daemonRowsOf(ofDaemons).at(-1);
    if (row !== undefined) print(daemonTableLine(row));
    await keep();
  }
  const hasFailed = measurements.some(({ ending }) => ending.kind === 'failed');
  if (hasFailed || ofDaemons.some(({ fault }) => fault !== undefined)) process.exitCode = 1;
  report(measurements);
  print(`written to ${relative(process.cwd(), flags.json)}`);
}

interface Wanted {
  readonly flows: readonly { readonly workload: Workload; readonly contender: Contender }[];
  readonly daemons: readonly {
    readonly workload: DaemonWorkload;
    readonly contender: DaemonContenderName;
  }[];
}

/** Each workload by all contenders in turn, so that compared ones run close together. */
function chosen(): Wanted {
  const names = flags.only?.split(',');
  const isNamed = ({ name }: DaemonWorkload) => names === undefined || names.includes(name);
  const ofDaemons = daemonWorkloads.filter(isNamed);
  const ofFlows = names?.filter((name) => !ofDaemons.some((each) => each.name === name));
  const ways: readonly string[] = [
    ...(flags.shipped ? ['as shipped'] : []),
    ...(['together', 'apart'] as const).filter((way) => flags[way]),
  ];
  const isWay = (name: string) => ways.length === 0 || ways.includes(name);
  const isWanted = ({ name, isMillrace }: Contender) => !isMillrace || isWay(name);
  return {
    flows: (ofFlows === undefined ? workloads : workloadsNamed(ofFlows)).flatMap((workload) =>
      contenders
        .filter((contender) => isWanted(contender) && (contender.isMillrace || workload.hasLimit))
        .map((contender) => ({ workload, contender })),
    ),
    daemons: ofDaemons.flatMap((workload) =>
      (['null writer', 'together', 'apart'] as const)
        .filter((contender) => contender === 'null writer' || isWay(contender))
        .map((contender) => ({ workload, contender })),
    ),
  };
}

function chosenOrExit(): Wanted {
  try {
    if (!/^[1-9]\d*$/.test(flags.repeats))
      throw new RangeError('--repeats takes a number from 1 on');
    return chosen();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    say(error.message);
    return process.exit(2);
  }
}

async function measured<Result>(
  run: (stack: AsyncDisposableStack) => Promise<Result>,
): Promise<Result> {
  started = new AsyncDisposableStack();
  try {
    return await run(started);
  } finally {
    // A failure because its servers were stopped is not a measurement.
    await (stopping ?? started.disposeAsync());
  }
}

function report(measurements: readonly Measurement[]): void {
  for (const growth of growthsOf(measurements)) print(growthLine(growth));
  const writer = nullWriterOf(measurements);
  if (writer !== undefined) print(nullWriterLine(writer));
}

/** After every row, so that an interrupted run keeps its measurements. */
async function write(
  startedAt: string,
  measurements: readonly Measurement[],
  daemons: readonly DaemonMeasurement[],
): Promise<void> {
  // The figures do not depend on the output file.
  const asked = args.filter((each, at) => !/^--json(=|$)/.test(each) && args[at - 1] !== '--json');
  const command = ['npm run bench', ...(asked.length === 0 ? [] : ['--', ...asked])].join(' ');
  const machine = thisMachine();
  const result: BenchResult = {
    ...{ format: resultFormat, startedAt, command, machine, settings: imageSettings, measurements },
    ...(daemons.length === 0
      ? {}
      : { daemons: { startedAt, command, machine, measurements: daemons } }),
  };
  await mkdir(dirname(flags.json), { recursive: true });
  await writeFile(flags.json, `${JSON.stringify(result, null, 2)}\n`);
}

/** Everything is stopped before the process ends; guards stop what is still being started. */
function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      say('stopping');
      const exit = () => process.exit(130);
      stopping = started.disposeAsync().then(exit, exit);
    });
  }
}
