import {
  asResourceVersion,
  type KubeObject,
  type Resource,
  resourceKey,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { flow, job, ownedBy, pod } from '#shared/domain/testing/objects.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { keepOfJob, keepOfPod } from '#shared/subscription/keep.ts';
import { createMemoryViews } from '../memory-views.ts';
import { StoredViewReader } from '../stored-view-reader.ts';
import { entryKey, type ViewEntry } from '../view-store.ts';

const { DaemonJob, JobFlow, Job, Node, Pod } = resources;
export const owner = flow({ name: 'f', uid: 'f-uid', version: '3' });
export const root = { namespace: 'default', uid: owner.metadata.uid };
export const name = { namespace: 'default', name: 'f' };
export const a = job({ name: 'a', uid: 'a', version: '4', metadata: ownedBy(owner) });
export const b = job({ name: 'b', uid: 'b', version: '5', metadata: ownedBy(owner) });
export const ofA = pod({ name: 'a-x', uid: 'a-x', version: '6', metadata: ownedBy(a) });

export const entry = (object: KubeObject, resource: Resource = Job): ViewEntry => ({
  key: entryKey(resourceKey(resource), object.metadata.uid),
  version: object.metadata.resourceVersion,
  content: JSON.stringify(object),
});
export const itself = (version: string): ViewEntry => ({
  key: entryKey(resourceKey(JobFlow), owner.metadata.uid),
  version: asResourceVersion(version),
  content: '',
});

/** A function that reads views: what it asks the API server and the store, and a bridge that writes. */
export function aFunction() {
  const clock = virtualClock(1_000_000);
  const store = createMemoryViews({ clock });
  const asked: string[] = [];
  const failures: unknown[] = [];
  const state = {
    flow: owner as KubeObject | undefined,
    away: false,
    isOurs: true,
    /** Runs while a view is being read. */
    meanwhile: undefined as (() => void) | undefined,
  };
  const server: Reader = {
    get: async ({ plural }, { name: wanted }) => {
      asked.push(`get ${plural} ${wanted}`);
      return plural === 'jobflows' ? state.flow : undefined;
    },
    list: async ({ plural }) => {
      asked.push(`list all ${plural}`);
      return [];
    },
    listByOwner: async ({ plural }) => {
      asked.push(`list ${plural}`);
      return [];
    },
    listByOwners: async ({ plural }) => {
      asked.push(`list ${plural}`);
      return [];
    },
  };
  const reads: (number | undefined)[] = [];
  const reader = new StoredViewReader({
    store: {
      read: async (uid, known) => {
        if (state.away) throw new Error('away');
        const reading = await store.read(uid, known);
        state.meanwhile?.();
        reads.push(reading?.entries.length);
        return reading;
      },
      note: async (...asked) => {
        if (state.away) throw new Error('away');
        return store.note(...asked);
      },
      notes: async (uid) => {
        if (state.away) throw new Error('away');
        return store.notes(uid);
      },
    },
    seal: {
      open: (content) => (state.isOurs ? content : undefined),
      close: (content) => content,
    },
    server,
    decides: [JobFlow, DaemonJob],
    children: [
      { resource: Job, keep: keepOfJob },
      { resource: Pod, keep: keepOfPod },
    ],
    listed: [Node],
    clock,
    onFailure: (error) => failures.push(error),
  });
  const write = async (...entries: readonly ViewEntry[]): Promise<void> => {
    await store.hold('bridge', false);
    await store.write('bridge', [{ root: root.uid, isWhole: true, entries }]);
  };
  return { clock, store, reader, write, asked, failures, state, reads };
}
