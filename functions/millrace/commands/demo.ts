import { annotations } from '#shared/domain/labels.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { applyDemo } from '../demo/apply-demo.ts';
import { type DaemonJobDemo, findDemo, readDaemonJobDemos, readDemos } from '../demo/catalogue.ts';
import { nightClock, nightSpeed } from '../demo/night-clock.ts';
import { openOwnSandbox } from '../demo/own-sandbox.ts';
import { playNight } from '../demo/play-night.ts';
import { playDaemonJob } from '../demo/play-daemon-job.ts';
import { play, type Played } from '../demo/play.ts';
import { createPresenter } from '../picture/presenter.ts';
import { rehearse, rehearseDaemonJob } from '../demo/rehearse.ts';
import { deliveredText, summaryOf, summaryOfNodes } from '../demo/summary.ts';
import type { DemoTarget } from '../demo/target.ts';
import { openTarget } from '../demo/open-target.ts';
import { interruption } from '../interruption.ts';
import { type Appearance, appearanceOf } from '../terminal/appearance.ts';
import { type Piece, renderLine, wrapLine } from '../terminal/line.ts';
import { columnsOf } from '../terminal/screen.ts';
import type { DemoOptions } from './demo-options.ts';

/** `sleep 100` in an example takes 2.5 s here. */
const timesFaster = 40;

/** `millrace demo`: returns the exit code, 7 if the flow failed. Throws CommandFailure. */
export async function demo(name: string | undefined, options: DemoOptions): Promise<number> {
  const { fail } = options;
  if (name === 'night') return demoOfNight(options);
  const examples = [...(await readDemos()), ...(await readDaemonJobDemos())];
  const found = findDemo(examples, name);
  if ('daemonJob' in found) return demoOfDaemonJob(found, options);
  const chosen = rehearse(found, {
    timesFaster,
    ...(fail === undefined ? {} : { fail }),
  });
  const appearance = appearanceOf(process.stdout, options, process.env);
  const interrupted = interruption();
  const target = await openTarget(options);
  say(`demo on ${target.describe}`);
  say(`every sleep takes a ${timesFaster}th of its time`);
  const presenter = createPresenter({
    output: process.stdout,
    appearance,
    nowMs: () => performance.now(),
    events: true,
  });
  try {
    const { flow, notes } = await applyDemo(target.client, target.namespace, chosen);
    notes.forEach((note) => say(`note: ${note}`));
    const played = await play({
      ...{ target, flow, presenter },
      timeoutMs: options.timeout * 1000,
      onDelivered: (all) => all.forEach((one) => presenter.remark(deliveredText(one))),
      signal: interrupted,
    });
    presenter.end();
    process.stdout.write('\n');
    for (const pieces of summaryOf(played)) {
      for (const line of wrapped(pieces, appearance)) process.stdout.write(`${line}\n`);
    }
    nextAfter(played, target, options).forEach(say);
    return exitCodeOf(played);
  } finally {
    presenter.end();
    await target.close();
  }
}

/** Nodes of an own sandbox: those on which the original operator's example runs, and those that it excludes. */
const nodesOfExample = ['vm-0-12-centos', 'vm-0-17-centos', 'node1', 'node2'];

async function demoOfDaemonJob(chosen: DaemonJobDemo, options: DemoOptions): Promise<number> {
  if (options.fail !== undefined) {
    const message = `${chosen.name} has no steps, so none can be made to fail`;
    throw new CommandFailure(exitCodes.usage, message, `millrace demo ${chosen.name}`);
  }
  const appearance = appearanceOf(process.stdout, options, process.env);
  const signal = interruption();
  const target = await openTarget(options, nodesOfExample);
  say(`demo on ${target.describe}`);
  say(`every sleep takes a ${timesFaster}th of its time`);
  const presenter = createPresenter({
    output: process.stdout,
    appearance,
    nowMs: () => performance.now(),
    events: true,
  });
  try {
    const timeoutMs = options.timeout * 1000;
    const rehearsed = rehearseDaemonJob(chosen, timesFaster);
    const common = { target, presenter, timeoutMs, signal };
    const picture = await playDaemonJob({ ...common, demo: rehearsed });
    presenter.end();
    process.stdout.write('\n');
    for (const pieces of summaryOfNodes(picture)) {
      for (const line of wrapped(pieces, appearance)) process.stdout.write(`${line}\n`);
    }
    const { kubectl, namespace } = target;
    say(
      kubectl === undefined
        ? 'next: npx millrace up, and npx millrace demo daemonjob in a second terminal'
        : `next: ${kubectl} -n ${namespace} describe mdj ${picture.name}`,
    );
    return picture.hasFailed ? exitCodes.flowFailed : 0;
  } finally {
    presenter.end();
    await target.close();
  }
}

/** Only on an own sandbox, because no other clock runs so fast. */
async function demoOfNight(options: DemoOptions): Promise<number> {
  if (options.cluster === true || options.fail !== undefined) {
    const message = 'the demo night runs on its own sandbox only, and takes no --fail';
    const next = 'the same without --cluster, --kubeconfig, --context and --fail';
    throw new CommandFailure(exitCodes.usage, message, next);
  }
  const signal = interruption();
  const clock = nightClock(systemClock);
  const target = await openOwnSandbox({ clock, speed: nightSpeed });
  say(`demo on ${target.describe}`);
  say(`an hour takes a second; times are those of Europe/Berlin`);
  try {
    const print = (line: string): void => void process.stdout.write(`${line}\n`);
    const { client, namespace } = target;
    await playNight({ client, namespace, clock, print, timeoutMs: options.timeout * 1000, signal });
    say('next: npx millrace schedule preview deploy/examples/suspend-nights.yaml');
    return 0;
  } finally {
    await target.close();
  }
}

/** Progress and hints go to standard error. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function exitCodeOf({ flow, delivered }: Played): number {
  if (delivered.some(({ result }) => result.effects > 0 || result.isRecordedAgain)) {
    return exitCodes.general;
  }
  return flow.hasFailed ? exitCodes.flowFailed : 0;
}

/** On a terminal lines are wrapped to its width. */
function wrapped(pieces: readonly Piece[], appearance: Appearance): readonly string[] {
  const columns = appearance.live ? columnsOf(process.stdout) : Number.POSITIVE_INFINITY;
  return wrapLine(pieces, columns).map((line) => renderLine(line, appearance));
}

function nextAfter(
  { flow }: Played,
  { kubectl, namespace }: DemoTarget,
  { fail }: DemoOptions,
): readonly string[] {
  if (kubectl !== undefined) {
    const ask = `${kubectl} -n ${namespace}`;
    const retry = `retry: ${ask} annotate mjf ${flow.name} ${annotations.retry}=1`;
    return [`next: ${ask} describe mjf ${flow.name}`, ...(flow.hasFailed ? [retry] : [])];
  }
  if (fail === undefined && !flow.hasFailed) return ['next: npx millrace demo --fail job2'];
  return ['next: npx millrace up, and npx millrace demo in a second terminal'];
}
