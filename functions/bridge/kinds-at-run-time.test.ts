import { expect, it, onTestFinished, vi } from 'vitest';
import { untilAborted } from '#shared/domain/until-aborted.ts';
import { asResourceVersion, type KubeObject, type Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import { flow } from '#shared/domain/testing/objects.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import { KindsAtRunTime } from './kinds-at-run-time.ts';
import { BridgeViews } from './views.ts';
import { watchSetOf } from './watch-set.ts';

const { JobFlow, Job } = resources;
const gadgets: Resource = {
  ...{ group: 'example.com', version: 'v1', plural: 'gadgets', kind: 'Gadget' },
  namespaced: true,
};
const kindOf = (kind: string) => ({ apiVersion: 'example.com/v1', kind });

/** A flow names the kinds of its spec. */
const subscription: Subscription = {
  name: 'a',
  decides: [JobFlow],
  kinds: [],
  watches: [
    { resource: JobFlow, leadsTo: 'self', fingerprint: () => null, keep: stripMetadata },
    { resource: Job, leadsTo: 'controller', fingerprint: () => null, keep: stripMetadata },
  ],
  follows: {
    kindsOf: ({ spec }) => (spec as { readonly names: readonly string[] }).names.map(kindOf),
    usual: [],
    fingerprint: () => null,
    keep: stripMetadata,
  },
  isUnfinished: ({ metadata }) => metadata.name !== 'finished',
  access: [],
};

const naming = (...names: readonly string[]): KubeObject => named('f', ...names);
const named = (name: string, ...names: readonly string[]): KubeObject =>
  flow({ name, uid: `uid-of-${name}`, spec: { names } });

function following(served: readonly Resource[]) {
  const watchSet = watchSetOf([subscription]);
  const views = new BridgeViews(watchSet);
  const stop = new AbortController();
  const asked: string[] = [];
  const state = { following: new Set<string>(), nowMs: 0, woken: [] as string[] };
  let wake: () => void = () => undefined;
  const kinds = new KindsAtRunTime({
    subscriptions: [subscription],
    views,
    resourceOf: async ({ kind }) => {
      asked.push(kind);
      return served.find((each) => each.kind === kind);
    },
    follow: async ({ resource }, signal) => {
      state.following.add(resource.kind);
      await untilAborted(signal);
      state.following.delete(resource.kind);
    },
    wake: async ({ name }, { kind }, objects) => {
      for (const { metadata } of objects) state.woken.push(`${name}: ${kind} ${metadata.name}`);
    },
    clock: {
      now: () => state.nowMs,
      monotonicMs: () => state.nowMs,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          signal?.addEventListener('abort', () => resolve(), { once: true });
          wake = () => {
            state.nowMs += ms;
            resolve();
          };
        }),
    },
    logger: { info: () => undefined, debug: () => undefined },
  });
  const ended = kinds.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await ended;
    expect(state.following.size).toBe(0);
  });
  const known = views.followed(JobFlow);
  const report = (object: KubeObject): void => {
    known.apply({ type: 'MODIFIED', object });
    kinds.changed(JobFlow, [{ type: 'changed', object }]);
  };
  const look = async (): Promise<void> => {
    wake();
    await vi.waitFor(() => expect(state.nowMs % 60_000).toBe(0));
  };
  return { asked, kinds, state, report, look, viewOf: (resource: Resource) => views.of(resource) };
}

it('a kind is followed from the first object on that names it, by the owner label', async () => {
  const { asked, state, report, viewOf } = following([gadgets]);
  expect(viewOf(gadgets)).toBeUndefined();
  report(naming('Gadget'));
  report(naming('Gadget'));
  await vi.waitFor(() => expect([...state.following]).toEqual(['Gadget']));
  expect(viewOf(gadgets)).toBeDefined();
  expect(asked).toEqual(['Gadget']);
});

it('a kind is let go when no object names it any more', async () => {
  const { state, report, look, viewOf } = following([gadgets]);
  report(naming('Gadget'));
  await vi.waitFor(() => expect(state.following.size).toBe(1));
  report({
    ...naming(),
    metadata: { ...naming().metadata, resourceVersion: asResourceVersion('6') },
  });
  await look();
  expect(state.following.size).toBe(1);
  await vi.waitFor(async () => {
    await look();
    expect(state.following.size).toBe(0);
    expect(viewOf(gadgets)).toBeUndefined();
  });
});

it('a kind that the API server does not serve is asked for again later', async () => {
  const served: Resource[] = [];
  const { asked, state, report } = following(served);
  report(naming('Gadget'));
  report(naming('Gadget'));
  await vi.waitFor(() => expect(asked).toEqual(['Gadget']));
  served.push(gadgets);
  state.nowMs += 5_000;
  report(naming('Gadget'));
  await vi.waitFor(() => expect([...state.following]).toEqual(['Gadget']));
});

it('a kind that is followed by declaration is left to that', async () => {
  const { asked, state, report } = following([Job]);
  report(naming('Job'));
  await vi.waitFor(() => expect(asked).toEqual(['Job']));
  expect(state.following.size).toBe(0);
});

it('the first complete list of a kind wakes the unfinished objects that name it, and no later one does', async () => {
  const { kinds, state, report } = following([gadgets]);
  report(named('f', 'Gadget'));
  report(named('finished', 'Gadget'));
  report(named('other', 'Widget'));
  await vi.waitFor(() => expect([...state.following]).toEqual(['Gadget']));
  await kinds.listed(JobFlow);
  expect(state.woken).toEqual([]);
  await kinds.listed(gadgets);
  await kinds.listed(gadgets);
  expect(state.woken).toEqual(['a: JobFlow f']);
});
