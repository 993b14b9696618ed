/** `npm run bench -- --help` tells what can be asked of it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { type Contender, contenders } from './contenders.ts';
import { thisMachine } from './machine.ts';
import { type BenchResult, type Measurement, resultFormat } from './result.ts';
import { runMeasurement } from './run-measurement.ts';
import { growthsOf, nullWriterOf, rowsOf } from './summary.ts';
import { growthLine, nullWriterLine, tableHead, tableLine } from './terminal-table.ts';
import { type Workload, workloads, workloadsNamed } from './workloads.ts';

const root = join(import.meta.dirname, '../..');
const standardFile = 'test/bench/results/bench.json';

const usage = `npm run bench [-- OPTIONS]

Measures Millrace on a real etcd and kube-apiserver, with somebody who completes the Jobs, beside a
writer without logic and a controller without logic. Every measurement has servers of its own. A row
is printed, and all figures so far are written as JSON, as soon as it is known.

  --only NAME[,NAME]  these workloads alone
  --together          Millrace in one process, as \`millrace run\`; both when neither is named
  --apart             bridge, dispatcher and functions as processes
  --repeats N         each measurement so often; 1
  --json FILE         where the figures go; ${standardFile}
  --help              this text

Workloads:
${workloads.map(({ name, says }) => `  ${name.padEnd(18)}  ${says}`).join('\n')}

Columns: steps per second; their ratio to those of the null writer and of the null controller that
writes the status at each wave; advance, the time from the end of the last dependency to the creation
of the Job; own requests, milliseconds of CPU and kilobytes per step; resident memory.

\`npm run bench:page\` makes deploy/docs/performance.md of the figures.
`;

const args = process.argv.slice(2);
const { values: flags } = parseArgs({
  args,
  options: {
    only: { type: 'string' },
    together: { type: 'boolean', default: false },
    apart: { type: 'boolean', default: false },
    repeats: { type: 'string', default: '1' },
    json: { type: 'string', default: join(root, standardFile) },
    help: { type: 'boolean', default: false },
  },
});

/** What has been started for the measurement under way. */
let started = new AsyncDisposableStack();
/** Once a signal has come: ends the process when all of that is taken down. */
let stopping: Promise<never> | undefined;
const say = (line: string) => process.stderr.write(`${line}\n`);
const print = (line: string) => process.stdout.write(`${line}\n`);

if (flags.help) process.stdout.write(usage);
else {
  const wanted = chosenOrExit();
  endOnSignals();
  await bench(wanted);
}

async function bench(wanted: readonly Wanted[]): Promise<void> {
  const startedAt = new Date().toISOString();
  const measurements: Measurement[] = [];
  print(tableHead());
  for (const { workload, contender } of wanted) {
    for (let repeat = 0; repeat < Number(flags.repeats); repeat += 1) {
      measurements.push(await measured(workload, contender));
    }
    const row = rowsOf(measurements).at(-1);
    if (row !== undefined) print(tableLine(row));
    await write(startedAt, measurements);
  }
  if (measurements.some(({ ending }) => ending.kind === 'failed')) process.exitCode = 1;
  report(measurements);
  print(`written to ${relative(process.cwd(), flags.json)}`);
}

interface Wanted {
  readonly workload: Workload;
  readonly contender: Contender;
}

/** Each workload by one contender after the other: those that are compared run side by side. */
function chosen(): readonly Wanted[] {
  const named = flags.only === undefined ? workloads : workloadsNamed(flags.only.split(','));
  const ways = (['together', 'apart'] as const).filter((way) => flags[way]);
  const isWanted = ({ name, isMillrace }: Contender) =>
    !isMillrace || ways.length === 0 || ways.some((way) => way === name);
  return named.flatMap((workload) =>
    contenders
      .filter((contender) => isWanted(contender) && (contender.isMillrace || workload.hasLimit))
      .map((contender) => ({ workload, contender })),
  );
}

function chosenOrExit(): readonly Wanted[] {
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

async function measured(workload: Workload, contender: Contender): Promise<Measurement> {
  started = new AsyncDisposableStack();
  try {
    return await runMeasurement(workload, contender, started, say);
  } finally {
    // What fails because its servers are taken away is no measurement.
    await (stopping ?? started.disposeAsync());
  }
}

function report(measurements: readonly Measurement[]): void {
  for (const growth of growthsOf(measurements)) print(growthLine(growth));
  const writer = nullWriterOf(measurements);
  if (writer !== undefined) print(nullWriterLine(writer));
}

/** After every row, so that a run that is broken off leaves what it has measured. */
async function write(startedAt: string, measurements: readonly Measurement[]): Promise<void> {
  const command = ['npm run bench', ...(args.length === 0 ? [] : ['--', ...args])].join(' ');
  const machine = thisMachine();
  const result: BenchResult = { format: resultFormat, startedAt, command, machine, measurements };
  await mkdir(dirname(flags.json), { recursive: true });
  await writeFile(flags.json, `${JSON.stringify(result, null, 2)}\n`);
}

/** Everything is taken down before the process ends; what is still being started, by its guards. */
function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      say('stopping');
      const exit = () => process.exit(130);
      stopping = started.disposeAsync().then(exit, exit);
    });
  }
}
