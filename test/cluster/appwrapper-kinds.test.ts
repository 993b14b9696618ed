/**
 * AppWrappers with their usual kinds: those of Kubernetes with their controllers, and third-party ones whose operators
 * the test plays.
 */
import { beforeAll, expect, it, vi } from 'vitest';
import { describeFlows } from '#test/support/flow-suite.ts';
import { type FlowWorld, flow, step, untilEnded, work } from '#test/support/flow-world.ts';
import {
  installPlayedKinds,
  nameOf,
  playOperator,
  partOf,
} from '#test/support/wrappers/played-operators.ts';
import { type PlayedKind, playedKinds } from '#test/support/wrappers/played-kinds.ts';
import { appWrapper, statusOf, wrappedService } from '#test/support/wrappers/wrapper-manifests.ts';
import {
  endWrappedPod,
  untilWrapperIs,
  untilWrapperIsGone,
  wrapperOf,
} from '#test/support/wrappers/wrapper-waits.ts';

const patience = { timeout: 100_000, interval: 100 };
const noRetry = { retryLimit: '0' };

async function untilCondition(world: FlowWorld, name: string, type: string, words: string) {
  await vi.waitFor(async () => {
    const { conditions = [] } = statusOf(await wrapperOf(world, name));
    const found = conditions.find((each) => each.type === type);
    expect(`${found?.status ?? ''} ${found?.reason ?? ''}`, JSON.stringify(conditions)).toBe(words);
  }, patience);
}

const untilPodsAreReady = (world: FlowWorld, name: string) =>
  untilCondition(world, name, 'PodsReady', 'True SufficientPodsReady');

const report = (world: FlowWorld, { resource }: PlayedKind, status: object) =>
  world.kubectl([
    ...['patch', nameOf(resource), 'part', '--subresource=status', '--type=merge'],
    ...['-p', JSON.stringify({ status })],
  ]);

const podsBy = async (world: FlowWorld, field: 'name' | 'uid') => {
  const path = `jsonpath={.items[*].metadata.${field}}`;
  const found = await world.kubectl(['get', 'pods', '-o', path]);
  return found.split(' ').filter((each) => each !== '');
};
const podNames = (world: FlowWorld) => podsBy(world, 'name');

const named = playedKinds.map((kind) => ({ kind, name: kind.resource.kind }));

describeFlows('an AppWrapper with', (suite) => {
  beforeAll(() => installPlayedKinds(suite.cluster.kubectl));

  const started = async (kind: PlayedKind, about: string) => {
    const world = await suite.world(`${kind.resource.plural}-${about}`);
    await world.apply(appWrapper('wraps', [partOf(kind)], { settings: noRetry }));
    await untilWrapperIs(world, 'wraps', 'Running');
    return world;
  };

  it.concurrent.each(named)(
    'a $name runs when the Pods of its operator do, and leaves none',
    async ({ kind }) => {
      const world = await started(kind, 'runs');
      await untilCondition(world, 'wraps', 'PodsReady', 'False InsufficientPodsReady');
      await playOperator(world, kind);
      await untilPodsAreReady(world, 'wraps');
      const names = await podNames(world);
      expect(names).toHaveLength(kind.pods);
      if (kind.ends !== undefined) {
        await report(world, kind, kind.ends.success);
        for (const name of names) await endWrappedPod(world, name, 0);
        await untilWrapperIs(world, 'wraps', 'Succeeded');
      }
      await world.delete('AppWrapper', 'wraps');
      await untilWrapperIsGone(world, 'wraps');
      expect(await podNames(world)).toEqual([]);
    },
  );

  it.concurrent.each(named)('a $name fails when a user deletes it (E19)', async ({ kind }) => {
    const world = await started(kind, 'robbed');
    await world.kubectl(['delete', nameOf(kind.resource), 'part']);
    await untilWrapperIs(world, 'wraps', 'Failed');
    await untilCondition(world, 'wraps', 'Unhealthy', 'True MissingComponent');
  });

  it.concurrent.each(
    named.flatMap(({ kind, ...rest }) =>
      kind.ends === undefined ? [] : [{ ...rest, kind, status: kind.ends.failure }],
    ),
  )('a $name fails when its status says so', async ({ kind, status }) => {
    const world = await started(kind, 'fails');
    await report(world, kind, status);
    await untilWrapperIs(world, 'wraps', 'Failed');
    await untilCondition(world, 'wraps', 'Unhealthy', 'True FailedComponent');
  });

  it.concurrent('a Deployment, a StatefulSet and a Service runs until it is deleted', async () => {
    const world = await suite.world('serves');
    const served = (kind: string) => {
      const labels = { app: kind.toLowerCase() };
      const { template } = work({ runFor: untilEnded, podMetadata: { labels } });
      const spec = { replicas: 2, selector: { matchLabels: labels }, template };
      const name = kind.toLowerCase();
      return { apiVersion: 'apps/v1', kind, metadata: { name }, spec };
    };
    const parts = [served('Deployment'), served('StatefulSet'), wrappedService('service')];
    await world.apply(appWrapper('serves', parts, { settings: noRetry }));
    await untilPodsAreReady(world, 'serves');
    const [name = ''] = await podNames(world);
    const [lost] = await podsBy(world, 'uid');
    await world.delete('Pod', name);
    await vi.waitFor(async () => {
      const pods = await podsBy(world, 'uid');
      expect(pods).toHaveLength(4);
      expect(pods).not.toContain(lost);
    }, patience);
    await untilPodsAreReady(world, 'serves');
    const { phase, resettingCount = 0 } = statusOf(await wrapperOf(world, 'serves'));
    expect([phase, resettingCount]).toEqual(['Running', 0]);
    await world.delete('AppWrapper', 'serves');
    await untilWrapperIsGone(world, 'serves');
    expect(await podNames(world)).toEqual([]);
  });

  it.concurrent(
    'a JobFlow succeeds when the flow is complete, and fails when it fails',
    async () => {
      const world = await suite.world('flows');
      const good = flow('good', [step('a'), step('b', { after: ['a'] })]);
      const bad = flow('bad', [step('a', { exitCode: 1 })]);
      await world.apply(
        appWrapper('good', [good], { settings: noRetry }),
        appWrapper('bad', [bad], { settings: noRetry }),
      );
      await untilWrapperIs(world, 'good', 'Succeeded');
      await untilWrapperIs(world, 'bad', 'Failed');
      await untilCondition(world, 'bad', 'Unhealthy', 'True FailedComponent');
    },
  );
});
