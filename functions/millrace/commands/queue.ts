/** `millrace queue`: lists what waits and runs for each function, and retries or drops parked items. */
import type { ObjectKey } from '#shared/domain/objects.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { isNamed } from '../journal/choose-entries.ts';
import { requireFunction } from '../journal/require-function.ts';
import { namedObject } from '../named-object.ts';
import { openCluster, type OpenedCluster, type ReadOptions } from '../open-cluster.ts';
import { ageText } from '../terminal/age-text.ts';
import { type ConfirmOptions, requireConfirmed } from '../terminal/confirm.ts';
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
  /** Only items that this function parked. */
  readonly function?: string;
}

export interface QueueDropOptions extends QueueRetryOptions, ConfirmOptions {}

type Say = (line: string) => void;

const counts = ['waiting', 'running', 'delayed', 'parked'] as const;

/** Throws CommandFailure and MR_QUEUE_UNAVAILABLE. */
export async function queueList(options: QueueOptions, say: Say): Promise<void> {
  await using cluster = await openCluster(options, 'queue');
  const report = await knownQueue(options, cluster);
  if (options.output === 'json') {
    for (const each of report) say(jsonLine(each));
    return;
  }
  const width = Math.max(...report.map((each) => each.function.length));
  const titles = counts.map((count) => count.toUpperCase());
  say(['FUNCTION'.padEnd(width), ...titles, 'OLDEST WAIT'].join('   '));
  for (const { function: name, depth } of report) {
    const cells = counts.map((count) => `${depth[count]}`.padEnd(count.length));
    const { oldestWaitMs } = depth;
    const oldest = oldestWaitMs === undefined ? '' : ageText(oldestWaitMs);
    say([name.padEnd(width), ...cells, oldest].join('   ').trimEnd());
  }
  const parked = parkedIn(report);
  if (parked.length > 0) say('');
  for (const [name, { key, reason, parkedAtMs }] of parked) {
    say(`parked by ${name} at ${rfc3339(parkedAtMs)}: ${calledOf(key)}: ${reason}`);
  }
  if (parked.length > 0) process.stderr.write(`next: ${cluster.program} queue retry --all\n`);
}

/** Prints everything that is known of an object's parked items. Throws CommandFailure and MR_QUEUE_UNAVAILABLE. */
export async function queueShow(what: string, options: QueueOptions, say: Say): Promise<void> {
  await using cluster = await openCluster(options, 'queue');
  const chosen = await parkedOf(what, options, cluster);
  for (const [name, parked] of chosen) {
    if (options.output === 'json') {
      say(jsonLine({ function: name, ...parked }));
      continue;
    }
    const { key, reason, parkedAtMs, cause, uid } = parked;
    say(`${calledOf(key)}: parked by ${name}`);
    say(`  since   ${rfc3339(parkedAtMs)}`);
    say(`  reason  ${reason}`);
    say(`  event   ${cause}`);
    say(`  uid     ${uid}`);
  }
  process.stderr.write(`next: ${cluster.program} queue retry ${what}\n`);
}

/** Has functions process parked items again. Throws CommandFailure and MR_QUEUE_UNAVAILABLE. */
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
 * Drops parked items after a confirmation. Unfinished objects are enqueued again by the next sweep or event. Throws
 * CommandFailure and MR_QUEUE_UNAVAILABLE.
 */
export async function queueDrop(
  what: string | undefined,
  options: QueueDropOptions,
  say: Say,
): Promise<void> {
  const { dryRun = false } = options;
  await forParked('drop', what, options, async (chosen, outlet) => {
    const count = `${chosen.length} parked ${chosen.length === 1 ? 'item' : 'items'}`;
    if (!dryRun) await requireConfirmed(`drop ${count}?`, options);
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

/** `verb` is that of `millrace queue`. */
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
  requireFunction(options.function);
  await using cluster = await openCluster(options, 'queue');
  const chosen = (await parkedOf(what, options, cluster)).map(([name, { key, cause }]) => ({
    ...{ function: name, key, cause },
  }));
  await using outlet = await outletOf(options, cluster);
  await act(chosen, outlet);
}

/** At least one item, the newest first. Without a name, those of all objects. Throws CommandFailure. */
async function parkedOf(
  what: string | undefined,
  options: QueueRetryOptions,
  cluster: OpenedCluster,
): Promise<readonly (readonly [name: string, ParkedObject])[]> {
  const named = what === undefined ? undefined : namedObject(what);
  const found = parkedIn(await knownQueue(options, cluster)).filter(
    ([name, { key }]) =>
      isNamed(key, named, options.namespace) && (options.function ?? name) === name,
  );
  if (found.length > 0) return found;
  const about = what === undefined ? '' : ` of ${what}`;
  throw new CommandFailure(exitCodes.notFound, `nothing${about} is parked`, 'millrace queue');
}

async function knownQueue(
  options: QueueOptions,
  cluster: OpenedCluster,
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
