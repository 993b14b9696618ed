/** A reflector over the loopback API server with short times, and its observed behaviour. */
import { onTestFinished, vi } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import { ObjectView } from '#shared/kube/object-view.ts';
import type {
  Change,
  ReflectorFailure,
  ReflectorOptions,
  ReflectorState,
} from '#shared/kube/reflector-options.ts';
import { Reflector } from '#shared/kube/reflector.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import {
  type Exchange,
  LoopbackApiServer,
  type Matcher,
  type WatchStream,
} from './loopback-api-server.ts';
import { clientFor } from './loopback-client.ts';

export const jobsPath = '/apis/batch/v1/jobs';
export const lists: Matcher = { path: jobsPath, watch: false };
export const watches: Matcher = { path: jobsPath, watch: true };

/** As a list item of a real server: without kind and apiVersion. */
export function job(name: string, resourceVersion: string, uid = `uid-of-${name}`) {
  return { metadata: { namespace: 'default', name, uid, resourceVersion } };
}

/** As an object of a watch event. */
export function watched(...args: Parameters<typeof job>) {
  return { apiVersion: 'batch/v1', kind: 'Job', ...job(...args) };
}

export function bookmark(resourceVersion: string) {
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { resourceVersion } };
}

export interface Probe {
  readonly server: LoopbackApiServer;
  readonly reflector: Reflector;
  readonly view: ObjectView;
  readonly states: readonly ReflectorState[];
  readonly failures: readonly ReflectorFailure[];
  /** Such as `changed a@5`, in the order of delivery. */
  readonly delivered: readonly string[];
  /** Sizes of the delivered batches. */
  readonly batches: readonly number[];
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

export function describeChange({ type, object }: Change): string {
  return `${type} ${object.metadata.name}@${object.metadata.resourceVersion}`;
}

/** Stopped and closed at the end of the test. `before` is called before each delivery counts. */
export async function probe(
  options: Partial<ReflectorOptions> = {},
  before: (changes: readonly Change[]) => void | Promise<void> = () => undefined,
): Promise<Probe> {
  const server = await LoopbackApiServer.start();
  const { client, connection } = await clientFor(server.url);
  const view = new ObjectView();
  const states: ReflectorState[] = [];
  const failures: ReflectorFailure[] = [];
  const delivered: string[] = [];
  const batches: number[] = [];
  const reflector = new Reflector({
    client,
    resource: resources.Job,
    view,
    clock: systemClock,
    random: () => 0.5,
    deliver: async (changes) => {
      await before(changes);
      batches.push(changes.length);
      delivered.push(...changes.map(describeChange));
    },
    onState: (state) => states.push(state),
    onFailure: (failure) => failures.push(failure),
    ...options,
    times: {
      silenceMs: 5_000,
      reconnect: { initialMs: 10, factor: 2, capMs: 40 },
      redeliver: { initialMs: 10, factor: 2, capMs: 40 },
      ...options.times,
    },
  });
  let stopping = new AbortController();
  let running = Promise.resolve();
  const start = (): void => {
    stopping = new AbortController();
    running = reflector.run(stopping.signal);
  };
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  onTestFinished(async () => {
    await stop();
    await connection.close();
    await server.close();
  });
  return { server, reflector, view, states, failures, delivered, batches, start, stop };
}

/** Waits until the assertion holds. */
export const until = (assertion: () => void): Promise<void> =>
  vi.waitFor(assertion, { interval: 5 });

/** Lists `a@5` at version 10 and opens the watch. */
export async function watching(
  probed: Probe,
): Promise<{ readonly exchange: Exchange; readonly stream: WatchStream }> {
  probed.server.once(lists, (exchange) =>
    exchange.list({ items: [job('a', '5')], resourceVersion: '10' }),
  );
  probed.start();
  const exchange = await probed.server.next(watches);
  return { exchange, stream: exchange.watch() };
}

export function versionAsked({ request }: Exchange): string | null {
  return request.query.get('resourceVersion');
}
