/**
 * Runs `npm test`. Without arguments: every suite that needs no control plane, and a line about how to run the rest.
 * With `--all`, or with CI=true: everything, after obtaining what must be built or downloaded. With other arguments:
 * the named suites, as for `vitest run`. It ends with the failures and the line `N passed, N failed`.
 */
import { readFile } from 'node:fs/promises';
import { obtainEverything, obtainRedis } from './obtain-parts.ts';
import { reportProgress } from './part-unavailable.ts';
import { bundleProcesses } from './process-bundles.ts';
import { runVitest } from './run-vitest.ts';
import type { TestExtent } from './test-extent.ts';
import { closingLines, settleRuns, type TestRun } from './test-tally.ts';

/** A thousand Jobs with Pods need both processors; a smaller number runs beside other suites. */
const crowd = 'test/cluster/daemon-recovery.test.ts';
/** Kills every process in turn during the work. Beside other suites the work would be over first, or too slow. */
const storm = 'test/cluster/kueue-storm.test.ts';
/** CI covers their rules elsewhere; the table in CONTRIBUTING.md says where. */
const leftToFullRuns = [
  'test/cluster/appwrapper-crash-matrix.test.ts',
  'test/cluster/appwrapper-recovery.test.ts',
  'test/cluster/daemon-churn.test.ts',
  'test/cluster/daemon-policies.test.ts',
  'test/cluster/flow-size.test.ts',
  storm,
  'test/cluster/recovery.test.ts',
  'test/cluster/suspend-crash-matrix.test.ts',
  'test/cluster/suspend-many.test.ts',
  'test/cluster/suspend-summer-time.test.ts',
  'test/cluster/waits.test.ts',
  'test/kueue/multikueue.test.ts',
  'test/kueue/stand-in.test.ts',
  'test/real/chart.test.ts',
  'test/real/command-line.test.ts',
  'test/real/eventing.test.ts',
  'test/real/knative.test.ts',
  'test/real/kueue.test.ts',
  'test/real/namespaced.test.ts',
  'test/real/original-appwrapper.test.ts',
];
const projects = (...names: readonly string[]) => names.flatMap((name) => ['--project', name]);
const realNode = ['--config', 'test/real/vitest.config.ts'];

const args = process.argv.slice(2);
try {
  const runs = await runsOf(args);
  const isPart = args.length === 0 && !isCi();
  await close(
    runs,
    isPart
      ? ['`npm run test:all` runs the suites on a control plane and on a real node, too.']
      : [],
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  await close([{ name: 'the set-up', tally: undefined, exitCode: 1 }]);
}

function runsOf(args: readonly string[]): Promise<readonly TestRun[]> {
  if (args.length === 1 && args[0] === '--all') return everything('full');
  // A chosen suite obtains its own needs.
  if (args.length > 0) return Promise.all([runVitest(args, { extent: 'full' })]);
  return isCi() ? everything('recorded') : quick();
}

function isCi(): boolean {
  return process.env['CI'] === 'true';
}

async function quick(): Promise<readonly TestRun[]> {
  await obtainRedis(reportProgress);
  Object.assign(process.env, await bundleProcesses());
  const extent = 'quick';
  const together = await runVitest(projects('unit', 'simulation', 'contract'), { extent });
  return [together, await attacks(extent)];
}

/**
 * Suites on a control plane wait for Jobs, leases and containers half of the time. Three lanes share two processors:
 * two with a control plane each, and one with the node that has containers, and then with Kueue and installations. The
 * simulation and the builds never wait, and take the rest. Suites with short timeouts come afterwards, three files at
 * once, because some wait for processes. Beside the lanes they would take half as long again.
 */
async function everything(extent: TestExtent): Promise<readonly TestRun[]> {
  await obtainEverything(reportProgress);
  Object.assign(process.env, await bundleProcesses());
  const isFull = extent === 'full';
  const alone = isFull ? [crowd, storm] : [];
  const left = isFull ? [] : leftToFullRuns;
  const apart = [...alone, ...left].flatMap((file) => ['--exclude', file]);
  const others = ['test/conformance/', 'test/cluster/install.test.ts'];
  const besides = others.flatMap((place) => [
    '--exclude',
    place.endsWith('/') ? `${place}**` : place,
  ]);
  const onControlPlane = [...projects('cluster'), ...apart, ...besides];
  const third = [...projects('kueue', 'cluster'), 'test/kueue', ...others, ...apart];
  const thirdLane = async () => [
    await runVitest([...realNode, ...apart], { extent, place: 'beside' }),
    await runVitest(third, { extent, place: 'beside' }),
  ];
  const builds = ['test/contract/build.test.ts', 'test/contract/release.test.ts'];
  const [behind, ...lanes] = await Promise.all([
    runVitest([...projects('simulation', 'contract'), 'test/simulation', ...builds], {
      extent,
      place: 'behind',
      workers: 1,
    }),
    runVitest([...onControlPlane, '--shard=1/2'], { extent }),
    runVitest([...onControlPlane, '--shard=2/2'], { extent, place: 'beside' }),
    thirdLane(),
  ]);
  const undisturbed = isFull
    ? [await runVitest([...projects('cluster'), ...alone], { extent })]
    : [];
  const built = builds.flatMap((file) => ['--exclude', file]);
  const rest = await runVitest([...projects('unit', 'contract'), ...built], { extent, workers: 3 });
  return [behind, ...lanes.flat(), ...undisturbed, rest, await attacks(extent)];
}

/** An attack must be its victim's only load; attacks on a control plane use a namespace of their own. */
function attacks(extent: TestExtent): Promise<TestRun> {
  return runVitest(projects('attacks'), { extent });
}

async function close(runs: readonly TestRun[], before: readonly string[] = []): Promise<void> {
  const tally = settleRuns(runs, await failedChecks());
  process.stdout.write(`${[...before, ...closingLines(tally)].join('\n')}\n`);
  process.exitCode = tally.failures.length === 0 ? 0 : 1;
}

/**
 * FAILED_CHECKS: the pipe into which .ci/run writes the names of failed checks, a line each, when all have ended. They
 * count as failures here.
 */
async function failedChecks(): Promise<readonly string[]> {
  const pipe = process.env['FAILED_CHECKS'];
  if (pipe === undefined) return [];
  return (await readFile(pipe, 'utf8')).split('\n').filter(Boolean);
}
