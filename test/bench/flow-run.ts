import { errorClassOf, MillraceError } from '#shared/domain/errors.ts';
import type { KubeObject, NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { FlowEnds, FlowFailed } from './flow-ends.ts';

export type Ending =
  /** `applyMs`: until the last flow was created. Absent: each flow waited for the one before. */
  | { readonly kind: 'ended'; readonly applyMs?: number }
  /** By the API server, or by the controller. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unfinished'; readonly reason: string }
  /** The measurement itself failed. */
  | { readonly kind: 'failed'; readonly reason: string };

/** The order in which flows follow one another. */
export type Order = 'at once' | 'one by one';

const creatingAtOnce = 8;
const pollMs = 250;

/**
 * Creates the flows and waits until each has succeeded, or the first was refused. `giveUp` is
 * called regularly and returns a reason to stop waiting.
 */
export async function runFlows(
  client: KubeClient,
  flows: readonly NewObject[],
  order: Order,
  giveUp: () => Promise<string | undefined>,
): Promise<Ending> {
  const stopping = new AbortController();
  const ends = await FlowEnds.watch(client, stopping.signal);
  const run = order === 'at once' ? runAtOnce : runOneByOne;
  const running = run(client, flows, ends);
  try {
    return await Promise.race([running, ends.broken, patience(giveUp, stopping.signal)]);
  } catch (error) {
    return endingBy(error);
  } finally {
    stopping.abort();
    // An abandoned one may still fail.
    running.catch(() => undefined);
  }
}

type Flows = readonly NewObject[];

async function runAtOnce(client: KubeClient, flows: Flows, ends: FlowEnds): Promise<Ending> {
  const startedMs = performance.now();
  let next = 0;
  const create = async () => {
    for (let flow = flows[next++]; flow !== undefined; flow = flows[next++]) {
      await client.create(resources.JobFlow, flow);
    }
  };
  const creating = Promise.all(Array.from({ length: creatingAtOnce }, create)).then(
    () => performance.now() - startedMs,
  );
  const [applyMs] = await Promise.all([
    creating,
    ...flows.map(({ metadata }) => ends.of(metadata)),
  ]);
  return { kind: 'ended', applyMs };
}

async function runOneByOne(client: KubeClient, flows: Flows, ends: FlowEnds): Promise<Ending> {
  for (const flow of flows) {
    const created: Promise<KubeObject> = client.create(resources.JobFlow, flow);
    await Promise.all([created, ends.of(flow.metadata)]);
  }
  return { kind: 'ended' };
}

function endingBy(error: unknown): Ending {
  if (error instanceof FlowFailed) return { kind: 'refused', reason: error.message };
  if (!(error instanceof MillraceError)) throw error;
  const kind = errorClassOf(error) === 'terminal' ? 'refused' : 'unfinished';
  return { kind, reason: error.message };
}

function patience(giveUp: () => Promise<string | undefined>, signal: AbortSignal): Promise<Ending> {
  const { promise, resolve, reject } = Promise.withResolvers<Ending>();
  const ask = async () => {
    const reason = await giveUp();
    if (reason !== undefined) resolve({ kind: 'unfinished', reason });
  };
  const timer = setInterval(() => void ask().catch(reject), pollMs);
  signal.addEventListener('abort', () => clearInterval(timer));
  return promise;
}
