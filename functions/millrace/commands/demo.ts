import { exitCodes } from '../command-failure.ts';
import { applyDemo } from '../demo/apply-demo.ts';
import { findDemo, readDemos } from '../demo/catalogue.ts';
import { play, type Played } from '../demo/play.ts';
import { createPresenter } from '../demo/presenter.ts';
import { rehearse } from '../demo/rehearse.ts';
import { deliveredText, summaryOf } from '../demo/summary.ts';
import type { DemoTarget } from '../demo/target.ts';
import { openTarget } from '../demo/open-target.ts';
import { interruption } from '../interruption.ts';
import { appearanceOf } from '../terminal/appearance.ts';
import { renderLine } from '../terminal/line.ts';
import type { DemoOptions } from './demo-options.ts';

/** `sleep 100` of the examples takes 2.5 s here. */
const timesFaster = 40;

/** `millrace demo`: returns the exit code, 7 when the flow failed. Throws CommandFailure. */
export async function demo(name: string | undefined, options: DemoOptions): Promise<number> {
  const { fail } = options;
  const chosen = rehearse(findDemo(await readDemos(), name), {
    timesFaster,
    ...(fail === undefined ? {} : { fail }),
  });
  const appearance = appearanceOf(process.stdout, options, process.env);
  const interrupted = interruption();
  const target = await openTarget(options);
  say(`demo on ${target.describe}`);
  const presenter = createPresenter({
    output: process.stdout,
    appearance,
    nowMs: () => performance.now(),
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
      process.stdout.write(`${renderLine(pieces, appearance)}\n`);
    }
    say(`next: ${nextAfter(played, target, options)}`);
    return exitCodeOf(played);
  } finally {
    presenter.end();
    await target.close();
  }
}

/** Progress and hints: not on standard output. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function exitCodeOf({ flow, delivered }: Played): number {
  if (delivered.some(({ result }) => result.effects > 0 || result.isRecordedAgain)) {
    return exitCodes.general;
  }
  return flow.hasFailed ? exitCodes.flowFailed : 0;
}

function nextAfter({ flow }: Played, target: DemoTarget, { fail }: DemoOptions): string {
  if (target.kind !== 'own') return `kubectl describe jobflow.api.practice.com ${flow.name}`;
  if (fail === undefined && !flow.hasFailed) return 'npx millrace demo --fail job2';
  return 'npx millrace up, then in a second terminal npx millrace demo and kubectl get mjf -w';
}
