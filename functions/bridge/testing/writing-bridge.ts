/** A bridge that writes its views into a store, and the content of the store. */
import { subscriptions } from '#functions/list.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { asResourceVersion, type KubeObject, type Resource } from '#shared/domain/objects.ts';
import { flow } from '#shared/domain/testing/objects.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import type { Change } from '#shared/kube/reflector-options.ts';
import { createMemoryViews } from '#shared/views/memory-views.ts';
import { isNote, type RootWrite } from '#shared/views/view-store.ts';
import { StoredViews } from '../stored-views.ts';
import { BridgeViews } from '../views.ts';
import { watchSetOf } from '../watch-set.ts';
import { watched } from './stores.ts';

/** The default root. */
export const owner = flow({ name: 'f', uid: 'f-uid', version: '3' });
export const changed = (object: KubeObject): Change => ({ type: 'changed', object });

interface BridgeOptions {
  /** The resource whose first list is still missing. */
  readonly unlisted?: Resource;
  /** The store of an earlier bridge. */
  readonly store?: ReturnType<typeof createMemoryViews>;
}

export function bridge({ unlisted, store: earlier }: BridgeOptions = {}) {
  const clock = virtualClock(1_000_000);
  const store = earlier ?? createMemoryViews({ clock });
  const name = earlier === undefined ? 'session' : 'later session';
  const watchSet = watchSetOf(subscriptions);
  const views = new BridgeViews(watchSet);
  const list = (resource: Resource, ...items: readonly KubeObject[]): void => {
    views.followed(resource).replace(items, asResourceVersion('1'));
  };
  for (const { resource } of watchSet) if (resource !== unlisted) list(resource);
  const state = {
    leads: true,
    fails: undefined as 'write' | 'everything' | undefined,
    /** Runs once, after the next write. */
    afterWrite: undefined as (() => Promise<void>) | undefined,
  };
  const writes: RootWrite[] = [];
  const calls: (readonly RootWrite[])[] = [];
  const warned: string[] = [];
  let sessions = 0;
  const failing = (call: 'write' | 'other'): void => {
    const isFailing = state.fails === 'everything' || (state.fails === 'write' && call === 'write');
    if (isFailing) throw new MillraceError('MR_QUEUE_UNAVAILABLE', { address: 'x', detail: 'OOM' });
  };
  const stored = new StoredViews({
    store: {
      ...store,
      hold: async (...asked) => {
        failing('other');
        return store.hold(...asked);
      },
      release: async (...asked) => {
        failing('other');
        return store.release(...asked);
      },
      write: async (session, asked) => {
        failing('write');
        writes.push(...asked);
        calls.push(asked);
        const written = await store.write(session, asked);
        const { afterWrite } = state;
        state.afterWrite = undefined;
        await afterWrite?.();
        return written;
      },
    },
    seal: { close: (content) => content },
    newSession: () => `${name} ${(sessions += 1)}`,
    watchSet,
    views,
    clock,
    logger: { warn: (_, message) => void warned.push(message) },
    leading: () => state.leads,
    renewMs: 1_000,
  });
  const see = (resource: Resource, ...objects: readonly KubeObject[]): void => {
    for (const object of objects) views.followed(resource).apply({ type: 'ADDED', object });
  };
  const report = async (kind: string, ...changes: readonly Change[]): Promise<void> =>
    stored.changed(watched(kind), changes);
  const held = async (of = owner.metadata.uid) => {
    const reading = await store.read(of);
    const there = reading?.entries.filter(
      ({ key, content }) => content !== undefined && !isNote(key),
    );
    return there?.map(({ key, version }) => `${key} ${version}`).toSorted();
  };
  const noted = async () => {
    const reading = await store.read(owner.metadata.uid);
    return reading?.entries.flatMap(({ key }) => (isNote(key) ? [key] : [])).toSorted();
  };
  return {
    clock,
    store,
    stored,
    views,
    state,
    list,
    see,
    report,
    held,
    noted,
    writes,
    calls,
    warned,
  };
}
