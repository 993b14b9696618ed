/** `millrace queue`: what waits and runs for each function, and what to do with what was put aside. */
import type { ObjectKey } from '#shared/domain/objects.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { isNamed } from '../journal/choose-entries.ts';
import { namedObject } from '../named-object.ts';
import { openCluster, type ReadOptions } from '../open-cluster.ts';
import { isConfirmed } from '../terminal/confirm.ts';
import { jsonLine } from '../terminal/json-line.ts';
import type { FunctionQueue, ParkedObject } from '../up/queue-report.ts';
import { readQueue } from '../why/read-queue.ts';
import { outletOf } from './deliver.ts';

export interface QueueOptions extends ReadOptions {
  readonly redis?: string;
  readonly redisInsecure?: boolean;
  readonly output?: 'text' | 'json';
}

export interface QueueRetryOptions extends QueueOptions {
  readonly all?: boolean;
  readonly dryRun?: boolean;
}

export interface QueueDropOptions extends QueueRetryOptions {
  /** Do not ask first. */
  readonly yes?: boolean;
}

type Say = (line: string) => void;

const counts = ['waiting', 'running', 'delayed', 'parked'] as const;

/** Throws CommandFailure and MR_QUEUE_UNAVAILABLE. */
export async function queue(options: QueueOptions, say: Say): Promise<void> {
  await using cluster = await openCluster(options, 'queue');
  const report = await knownQueue(options, cluster);
  if (options.output === 'json') {
    for (const each of report) say(jsonLine(each));
    return;
  }
  const width = Math.max(...report.map((each) => each.function.length));
  say(['FUNCTION'.padEnd(width), ...counts.map((count) => count.toUpperCase())].join('   '));
  for (const { function: name, depth } of report) {
    const cells = counts.map((count) => `${depth[count]}`.padEnd(count.length));
    say([name.padEnd(width), ...cells].join('   ').trimEnd());
  }
  const parked = parkedIn(report);
  if (parked.length > 0) say('');
  for (const [name, { key, reason, parkedAtMs }] of parked) {
    say(`parked by ${name} at ${rfc3339(parkedAtMs)}: ${calledOf(key)}: ${reason}`);
  }
  if (parked.length > 0) process.stderr.write('next: millrace queue retry --all\n');
}

/** Has functions look again at what they put aside. Throws CommandFailure and MR_QUEUE_UNAVAILABLE. */
export async function queueRetry(
  what: string | undefined,
  options: QueueRetryOptions,
  say: Say,
): Promise<void> {
  const { dryRun = false } = options;
  await forParked('retry', what, options, async (chosen, outlet) => {
    for (const item of chosen) {
      const outcome = dryRun
        ? 'would be looked at again'
        : (await outlet.add(item))
          ? 'is looked at again'
          : 'is not recorded there any more; it is looked at when it changes';
      say(`${item.function} ${calledOf(item.key)} ${outcome}`);
    }
  });
}

/**
 * Forgets what functions put aside, after a yes. What is unfinished comes back with the next sweep or event. Throws
 * CommandFailure and MR_QUEUE_UNAVAILABLE.
 */
export async function queueDrop(
  what: string | undefined,
  options: QueueDropOptions,
  say: Say,
): Promise<void> {
  const { dryRun = false, yes = false } = options;
  await forParked('drop', what, options, async (chosen, outlet) => {
    const count = `${chosen.length} parked ${chosen.length === 1 ? 'item' : 'items'}`;
    if (
      !dryRun &&
      !yes &&
      !(await isConfirmed(`drop ${count}?`, `millrace queue drop ${what ?? '--all'} --yes`))
    ) {
      throw new CommandFailure(exitCodes.general, 'nothing was dropped', 'millrace queue');
    }
    for (const item of chosen) {
      const outcome = dryRun
        ? 'would be dropped'
        : (await outlet.drop(item))
          ? 'is dropped'
          : 'is parked no more, and stays';
      say(`${item.function} ${calledOf(item.key)} ${outcome}`);
    }
  });
}

/** `verb`: of `millrace queue`. The newest first. */
async function forParked(
  verb: string,
  what: string | undefined,
  options: QueueRetryOptions,
  act: (chosen: readonly WorkItem[], outlet: Awaited<ReturnType<typeof outletOf>>) => Promise<void>,
): Promise<void> {
  if ((what === undefined) !== (options.all === true)) {
    const message = 'a name or --all is needed, and not both';
    throw new CommandFailure(exitCodes.usage, message, `millrace queue ${verb} --all`);
  }
  const named = what === undefined ? undefined : namedObject(what);
  await using cluster = await openCluster(options, 'queue');
  const chosen = parkedIn(await knownQueue(options, cluster))
    .filter(([, { key }]) => isNamed(key, named, options.namespace))
    .map(([name, { key, cause }]) => ({ function: name, key, cause }));
  if (chosen.length === 0) {
    const about = what === undefined ? '' : ` of ${what}`;
    throw new CommandFailure(exitCodes.notFound, `nothing${about} is parked`, 'millrace queue');
  }
  await using outlet = await outletOf(options, cluster);
  await act(chosen, outlet);
}

async function knownQueue(
  options: QueueOptions,
  cluster: Parameters<typeof readQueue>[1],
): Promise<readonly FunctionQueue[]> {
  const report = await readQueue(options, cluster);
  if (report !== undefined) return report;
  throw new CommandFailure(
    exitCodes.usage,
    'no queue is known: this cluster is no `millrace up`',
    'add --redis redis://HOST:PORT',
  );
}

function parkedIn(
  report: readonly FunctionQueue[],
): readonly (readonly [name: string, ParkedObject])[] {
  return report
    .flatMap(({ function: name, parked }) => parked.map((each) => [name, each] as const))
    .sort(([, left], [, right]) => right.parkedAtMs - left.parkedAtMs);
}

function calledOf({ kind, namespace, name }: ObjectKey): string {
  return `${kind}/${namespace === '' ? '' : `${namespace}/`}${name}`;
}
