import { setTimeout as sleep } from 'node:timers/promises';
import { subscriptions } from '#functions/list.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { remoteDesk } from '../demo/remote-desk.ts';
import { isChosen, isNamed } from '../journal/choose-entries.ts';
import type { JournalOptions } from '../journal/journal-options.ts';
import { openEntries } from '../journal/open-journal.ts';
import { requireFunction } from '../journal/require-function.ts';
import { namedObject } from '../named-object.ts';
import type { RecordedEntry } from '#shared/journal/recording.ts';
import { openCluster, type OpenedCluster } from '../open-cluster.ts';
import { redisQueue } from '../cluster-redis.ts';
import { recordedItems } from '../replay/recorded-items.ts';
import { askControl } from '../up/ask-control.ts';
import { type ConfirmOptions, requireConfirmed } from '../terminal/confirm.ts';
import { jsonLine } from '../terminal/json-line.ts';

export interface DeliverOptions extends JournalOptions, ConfirmOptions {
  readonly dryRun?: boolean;
  readonly onlyUnprocessed?: boolean;
  /** Items per second. */
  readonly rate?: number;
}

const usualRate = 20;

/**
 * `millrace replay [NAME] --deliver`: wakes functions again for recorded events. The items have the ids of those
 * events, and the functions read the current objects. Asks for confirmation. Throws CommandFailure.
 */
export async function deliver(
  what: string | undefined,
  options: DeliverOptions,
  say: (line: string) => void,
): Promise<void> {
  const named = what === undefined ? undefined : namedObject(what);
  requireFunction(options.function);
  const { dryRun = false, onlyUnprocessed = false, rate = usualRate } = options;
  const isMeant = (entry: RecordedEntry) => isChosen(entry, options);
  const items = (await recordedItems(openEntries(options), subscriptions, isMeant))
    .filter(({ isProcessed }) => !(onlyUnprocessed && isProcessed))
    .map(({ item }) => item)
    .filter((item) => options.function === undefined || item.function === options.function)
    .filter(({ key }) => isNamed(key, named, options.namespace));
  if (items.length === 0) throw nothingToDeliver(what, onlyUnprocessed);
  const print = outcomePrinter(options, say);
  if (dryRun) {
    for (const item of items) print(item, 'would be delivered');
    return;
  }
  const count = `${items.length} ${items.length === 1 ? 'item' : 'items'}`;
  await requireConfirmed(`deliver ${count} again?`, options);
  await using cluster = await openCluster(options, 'deliver');
  await using queue = await outletOf(options, cluster);
  for (const [index, item] of items.entries()) {
    if (index > 0) await sleep(1_000 / rate);
    print(item, (await queue.add(item)) ? 'delivered' : 'is not recorded there any more');
  }
}

interface Outlet extends AsyncDisposable {
  /** Whether the function will process the item. */
  add(item: WorkItem): Promise<boolean>;
  /** Whether the item was parked. */
  drop(item: WorkItem): Promise<boolean>;
}

/** Where work items are added: the named Redis, or the cluster's `millrace up`. Throws CommandFailure. */
export async function outletOf(
  options: Pick<DeliverOptions, 'redis' | 'redisInsecure'>,
  cluster: OpenedCluster,
): Promise<Outlet> {
  const { redis: url, redisInsecure: insecure = false } = options;
  const { client, connection, control } = cluster;
  if (url !== undefined) {
    const queue = await redisQueue({ url, insecure }, client);
    return {
      add: async (item) => {
        await queue.add([item]);
        return true;
      },
      drop: (item) => queue.dropParked(item),
      [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
    };
  }
  if (control === undefined) {
    throw new CommandFailure(
      exitCodes.usage,
      'no queue is known: this cluster is no `millrace up`',
      'add --redis redis://HOST:PORT',
    );
  }
  const desk = remoteDesk(control, connection);
  const ask = askControl(control, connection);
  return {
    add: async ({ cause }) => (await desk.redeliver(cause)) !== undefined,
    drop: async ({ function: name, key }) =>
      (await ask(`/queue/${name}/${encodeURIComponent(key.uid)}/drop`, 'POST')).status !== 404,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function outcomePrinter(
  { output }: DeliverOptions,
  say: (line: string) => void,
): (item: WorkItem, outcome: string) => void {
  return ({ function: name, key, cause }, outcome) => {
    if (output === 'json') say(jsonLine({ function: name, object: key, event: cause, outcome }));
    else say(`${name} ${key.kind}/${key.namespace}/${key.name} (event ${cause}) ${outcome}`);
  };
}

function nothingToDeliver(what: string | undefined, onlyUnprocessed: boolean): CommandFailure {
  const about = what === undefined ? '' : ` about ${what}`;
  const left = onlyUnprocessed ? 'nothing is unprocessed' : 'the journal has no such event';
  return new CommandFailure(exitCodes.notFound, `${left}${about}`, 'millrace journal');
}
