/** Tests of a function over a kind of its own, as soon as it is in the list, however it is run. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { functions } from '#functions/list.ts';
import { customResourceDefinition } from '#shared/api/custom-resource-definition.ts';
import type { KubeObject, NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Journal } from '#shared/journal/journal.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import { rosterKeeper } from './roster/function.ts';
import { ConfigMap, Roster, rosterKind } from './roster/roster-kind.ts';
import type { Serve } from './serve.ts';

export interface Place {
  /** A user who may do everything. */
  readonly client: KubeClient;
  readonly namespace: string;
  readonly queue: WorkQueue;
  readonly journal: Journal;
  close(): Promise<void>;
}

const extraNode = 'roster-extra';

export function describeRoster(title: string, serve: Serve, open: () => Promise<Place>): void {
  describe(title, () => {
    let place: Place;
    let stop: () => Promise<void>;

    beforeAll(async () => {
      place = await open();
      const definition = customResourceDefinition(rosterKind) as unknown as NewObject;
      await place.client.create(resources.CustomResourceDefinition, definition);
      await vi.waitUntil(() => isServed(place.client));
      stop = await serve({ ...place, functions: [...functions, rosterKeeper] });
      await place.client.create(Roster, roster(place.namespace));
    });
    afterAll(async () => {
      await stop();
      const name = `${Roster.plural}.${Roster.group}`;
      const { client } = place;
      await client.delete(resources.Node, named('', extraNode), { propagation: 'Background' });
      const definition = named('', name);
      await client.delete(resources.CustomResourceDefinition, definition, {
        propagation: 'Background',
      });
      // Objects of the kind are deleted first, and the kind cannot be defined again before that.
      const isGone = async (): Promise<boolean> =>
        (await client.get(resources.CustomResourceDefinition, definition)) === undefined;
      await vi.waitUntil(isGone, { timeout: 60_000, interval: 200 });
      await place.close();
    });

    const written = async (): Promise<unknown> => {
      const map = await place.client.get(ConfigMap, named(place.namespace, 'all-nodes'));
      return (map as { readonly data?: unknown } | undefined)?.data;
    };
    const reported = async (): Promise<unknown> =>
      (await place.client.get(Roster, named(place.namespace, 'all')))?.status;
    const nodes = async (): Promise<readonly string[]> =>
      (await place.client.list(resources.Node, {})).items.map(nameOf).sort();

    it('does for each object what it is for, and reports it', async () => {
      const names = await nodes();
      await expect.poll(written).toEqual({ nodes: names.join(' ') });
      await expect.poll(reported).toEqual({ nodes: names.length });
    });

    it('is woken by an object without an owner, through its index', async () => {
      const before = await nodes();
      await place.client.create(resources.Node, {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: extraNode },
      });
      await expect.poll(written).toEqual({ nodes: [...before, extraNode].sort().join(' ') });
      await expect.poll(reported).toEqual({ nodes: before.length + 1 });
    });

    it('is woken by a change of its child', async () => {
      const kept = await written();
      const patch = { data: { nodes: 'none' } };
      const options = { type: 'merge', fieldManager: 'somebody' } as const;
      await place.client.patch(ConfigMap, named(place.namespace, 'all-nodes'), patch, options);
      await expect.poll(written).toEqual(kept);
    });
  });
}

async function isServed(client: KubeClient): Promise<boolean> {
  return client.list(Roster, {}).then(
    () => true,
    () => false,
  );
}

function roster(namespace: string): NewObject {
  const { group, version, kind } = Roster;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: 'all', namespace },
    spec: {},
  };
}

function named(namespace: string, name: string) {
  return { namespace, name };
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name;
}
