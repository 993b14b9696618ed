/**
 * `millrace replay --deliver`, and the report of `millrace why` about the queue, on a real Redis and API server. The
 * processes are stopped meanwhile, so that nothing else enqueues the item. The audit log shows what was created.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { deliver } from '#functions/millrace/commands/deliver.ts';
import { journalExport } from '#functions/millrace/commands/journal.ts';
import { why } from '#functions/millrace/commands/why.ts';
import { redisQueue } from '#functions/millrace/cluster-redis.ts';
import { openCluster } from '#functions/millrace/open-cluster.ts';
import type { Explanation } from '#functions/millrace/why/explanation.ts';
import { asEventId, type Uid } from '#shared/domain/objects.ts';
import type { Lease, WorkQueue } from '#shared/queue/work-queue.ts';
import { describeFlows, type FlowSuite } from '#test/support/flow-suite.ts';
import { flow, step, untilEnded } from '#test/support/flow-world.ts';
import { Terminal } from '#test/support/terminal.ts';
import { everyCause, typeNext } from '#test/support/waits/type-next.ts';

type Disturb = (queue: WorkQueue, suite: FlowSuite, flow: string) => Promise<void>;

const disturbances: Readonly<Record<string, Disturb>> = {
  // The change was recorded but never enqueued, or its item was taken by a process that is gone.
  'a lost event': () => Promise.resolve(),
  'a parked item': async (queue, suite, flowName) => {
    const name = 'flow-advance';
    const ours = (await suite.decisions()).find(
      (decision) => decision.function === name && decision.key.name === flowName,
    );
    if (ours === undefined) throw new Error('nothing was decided');
    const { key } = ours;
    await suite.enqueue([{ function: name, key, cause: asEventId('by-hand.1') }]);
    const lease = await takeItemOf(key.uid, queue);
    await lease.park('MR_TEST: odd');
    expect(await ofNamespace(queue, key.namespace)).toEqual([key.uid]);
  },
  'an emptied Redis': async (_, suite) => {
    const redis = new Redis(suite.redis().url);
    await redis.flushall();
    await redis.quit();
  },
};

/** Items of other flows may wait before it. Nothing here needs them, and Millrace looks at each flow when it starts. */
async function takeItemOf(uid: Uid, queue: WorkQueue): Promise<Lease> {
  const signal = AbortSignal.timeout(30_000);
  for (;;) {
    const lease = await queue.take('flow-advance', signal);
    if (lease === undefined) throw new Error(`the queue never gave the item of ${uid}`);
    if (lease.item.key.uid === uid) return lease;
    await lease.ack();
  }
}

/** The cluster has flows of other test files. */
async function ofNamespace(queue: WorkQueue, namespace: string): Promise<readonly string[]> {
  const parked = await queue.parked('flow-advance');
  return parked
    .map(({ item }) => item.key)
    .filter((key) => key.namespace === namespace)
    .map(({ uid }) => uid);
}

describeFlows('what recorded events asked for, delivered again', (suite) => {
  // One after the other, because each stops Millrace.
  it.each(Object.keys(disturbances))(
    'goes on after %s, and nothing happens twice',
    async (what) => {
      const world = await suite.world(what.toLowerCase().split(' ').join('-'));
      const name = what.toLowerCase().split(' ').join('-');
      await world.apply(
        flow(name, [step('a', { runFor: untilEnded }), step('b', { after: ['a'] })]),
      );
      await world.untilStep(name, 'a', 'Running');
      const { kubeconfig } = suite.cluster;
      const { url } = suite.redis();
      const options = { kubeconfig, redis: url, namespace: world.namespace };
      await using cluster = await openCluster(options, 'test');
      await using queue = await redisQueue({ url, insecure: false }, cluster.client);
      // Flows of other files wait from the start, and more of them may come until Millrace stops.
      const waiting = async () => (await queue.depth('flow-advance')).waiting;
      await expect.poll(waiting, { timeout: 60_000 }).toBe(0);
      await suite.stopMillrace();
      const folder = await mkdtemp(join(tmpdir(), 'millrace-deliver-'));
      const recorded: string[] = [];
      await journalExport(undefined, options, (line) => void recorded.push(line));
      const file = join(folder, 'recording.ndjson');
      await writeFile(file, recorded.join('\n'));

      await disturbances[what]?.(queue, suite, name);
      const before = await waiting();
      const terminal = new Terminal({ kubectl: suite.cluster.binaries.kubectl, home: folder });
      const reasons = async (): Promise<readonly string[]> => {
        const lines: string[] = [];
        const asJson = { ...options, output: 'json' } as const;
        await why(`jobflow/${name}`, asJson, (line) => void lines.push(line));
        const explanation = JSON.parse(lines.join('\n')) as Explanation;
        await typeNext(terminal, explanation);
        return everyCause(explanation.causes).map(({ reason }) => reason);
      };
      if (what === 'a parked item') {
        expect(await reasons()).toContain('Parked');
        expect(await ofNamespace(queue, world.namespace)).toEqual([]);
      }
      const said: string[] = [];
      const again = { ...options, function: 'flow-advance', file };
      // Delivering twice equals once, because an object has one item.
      for (let n = 0; n < 2; n += 1) {
        await deliver(`jobflow/${name}`, { ...again, yes: true }, (line) => void said.push(line));
      }
      expect(said).toHaveLength(2);
      expect(said[0]).toMatch(
        new RegExp(`^flow-advance JobFlow/${world.namespace}/${name} \\(event \\S+\\) delivered$`),
      );
      expect(await ofNamespace(queue, world.namespace)).toEqual([]);
      expect(await waiting()).toBe(before + 1);
      await world.patchFlow(name, { spec: { parallelism: 2 } });
      expect((await reasons()).slice(0, 2)).toEqual(['NotSeenYet', 'QueueLag']);
      await rm(folder, { recursive: true });

      await world.endPod(`${name}-a`);
      await suite.startMillrace();
      await world.untilState(name, 'Succeed');
      expect(await world.namesEverCreated()).toEqual([`${name}-a`, `${name}-b`]);
    },
  );
});
