/** `millrace get --watch` without a name: a line for each object, and a further one for each change. */
import { apiVersionOf, type Resource } from '#shared/domain/objects.ts';
import { underEither } from '#shared/domain/under-either.ts';
import { untilAborted } from '#shared/domain/until-aborted.ts';
import { Reflector } from '#shared/kube/reflector.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { exitCodes } from '../command-failure.ts';
import { interruption } from '../interruption.ts';
import type { OpenedCluster } from '../open-cluster.ts';
import { columnsFor, hasStatus, type Listing, listingsOf } from '../picture/listings.ts';
import { type Listed, Table } from '../picture/table.ts';
import { appearanceOf } from '../terminal/appearance.ts';
import { renderLine } from '../terminal/line.ts';
import type { GetOptions } from './get-options.ts';

/** Runs until interrupted or until `--timeout` has passed. Returns the exit code. Throws CommandFailure. */
export async function watchList(
  kinds: readonly Resource[],
  options: GetOptions,
  cluster: OpenedCluster,
  write: (text: string) => void,
): Promise<number> {
  const signal = interruption();
  const listings = await servedOf(await listingsOf(kinds, options, cluster), cluster);
  const table = new Table(columnsFor(options));
  const appearance = appearanceOf(process.stdout, options, process.env);
  const isWanted = hasStatus(options.status);
  /** The line that was last printed for each object, by uid. */
  const said = new Map<string, string>();
  const isNews = (row: Listed): boolean => {
    const { uid } = row.object.metadata;
    const reason = options.output === 'wide' ? [row.reason, row.message] : [];
    const words = JSON.stringify([row.state, row.detail, ...reason]);
    const isKnown = said.get(uid) === words;
    said.set(uid, words);
    return !isKnown;
  };
  const show = (rows: readonly Listed[]): void => {
    for (const line of table.linesOf(rows.filter(isNews), cluster.nowMs())) {
      write(`${renderLine(line, appearance)}\n`);
    }
  };
  const stop = new AbortController();
  const following = listings.map(({ resource, namespace, selectors, rowOf }) =>
    new Reflector({
      ...{ client: cluster.client, clock: systemClock, random: Math.random },
      ...{ resource, ...selectors },
      ...(namespace === undefined ? {} : { namespace }),
      deliver: (changes) => {
        const rows = changes.flatMap(({ type, object }): readonly Listed[] => {
          const row = rowOf(object);
          if (row === undefined) return [];
          if (type === 'changed') return isWanted(row) ? [row] : [];
          return said.has(object.metadata.uid) ? [{ ...row, state: 'Deleted' }] : [];
        });
        show(rows);
        return Promise.resolve();
      },
    }).run(stop.signal),
  );
  const { timeout } = options;
  if (timeout === undefined) await untilAborted(signal);
  else await underEither([signal, AbortSignal.timeout(timeout * 1_000)], untilAborted);
  stop.abort();
  await Promise.all(following);
  return signal.aborted ? exitCodes.interrupted : 0;
}

/** Kinds that the cluster serves. Throws if they may not be listed: a watch would retry for ever. */
async function servedOf(
  listings: readonly Listing[],
  { client }: OpenedCluster,
): Promise<readonly Listing[]> {
  const served = await Promise.all(
    listings.map(async ({ resource, namespace, selectors }) => {
      const known = await client.discover(apiVersionOf(resource));
      if (known?.some(({ plural }) => plural === resource.plural) !== true) return false;
      const where = namespace === undefined ? {} : { namespace };
      await client.list(resource, { ...where, ...selectors, limit: 1 });
      return true;
    }),
  );
  return listings.filter((_, index) => served[index]);
}
