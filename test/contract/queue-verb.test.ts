/** `millrace queue` over a Redis with parked work. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { redisQueue } from '#functions/millrace/cluster-redis.ts';
import { outputFaults } from '#functions/millrace/testing/output-shape.ts';
import { type RunningUp, runningUp } from '#functions/millrace/testing/running-up.ts';
import { asEventId, asUid } from '#shared/domain/objects.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import { startRedis } from '#test/support/redis.ts';

const slow = 120_000;
const name = 'flow-advance';
const key = {
  ...{ apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow' },
  ...{ namespace: 'default', name: 'hello', uid: asUid('uid-1') },
};

let redis: Awaited<ReturnType<typeof startRedis>>;
let up: RunningUp;
let queue: WorkQueue;
beforeAll(async () => {
  redis = await startRedis();
  up = await runningUp();
  queue = await redisQueue({ url: redis.url, insecure: false }, up.client);
  await queue.add([{ function: name, key, cause: asEventId('uid-1.7') }]);
  const lease = await queue.take(name, AbortSignal.timeout(slow));
  await lease?.park('the reply was 400');
}, slow);
afterAll(async () => {
  await queue.close();
  await up[Symbol.asyncDispose]();
  await redis.stop();
});

test(
  'what was put aside is listed, and is looked at again when that is asked for',
  { timeout: slow },
  async () => {
    const listed = await up.finished('queue', '--redis', redis.url);
    expect(listed.code).toBe(0);
    const lines = listed.stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^FUNCTION +WAITING +RUNNING +DELAYED +PARKED +OLDEST WAIT$/);
    expect(lines).toContainEqual(expect.stringMatching(/^flow-advance +0 +0 +0 +1$/));
    expect(lines.at(-1)).toMatch(
      /^parked by flow-advance at \S+Z: JobFlow\/default\/hello: the reply was 400$/,
    );
    const same = await up.finished('dlq', 'list', '--redis', redis.url);
    expect(same.stdout).toBe(listed.stdout);
    const shown = await up.finished('queue', 'show', 'hello', '--redis', redis.url);
    expect(shown.stdout.split('\n')).toEqual([
      'JobFlow/default/hello: parked by flow-advance',
      expect.stringMatching(/^ {2}since {3}\S+Z$/),
      '  reason  the reply was 400',
      '  event   uid-1.7',
      '  uid     uid-1',
      '',
    ]);
    const faults = outputFaults('queue');
    for (const verb of [['list'], ['show', 'hello']]) {
      const { stdout } = await up.finished('queue', ...verb, '--json', '--redis', redis.url);
      const lines = stdout.trimEnd().split('\n');
      expect(lines.join('\n')).toContain('the reply was 400');
      for (const line of lines) expect(faults(JSON.parse(line))).toEqual([]);
    }
    const absent = await up.finished('queue', 'show', 'helo', '--redis', redis.url);
    expect(absent).toMatchObject({ code: 4, stdout: '' });
    const other = ['--function', 'daemon-fanout', '--redis', redis.url];
    expect((await up.finished('queue', 'retry', '--all', ...other)).code).toBe(4);
    const retried = await up.finished('queue', 'retry', 'jobflow/hello', '--redis', redis.url);
    expect(retried.stdout).toBe('flow-advance JobFlow/default/hello is looked at again\n');
    expect(await queue.depth(name)).toMatchObject({ waiting: 1, parked: 0 });
    const waits = await up.finished('queue', '--redis', redis.url);
    expect(waits.stdout).toMatch(/^flow-advance +1 +0 +0 +0 +\d+s$/m);
    const again = await up.finished('queue', 'retry', '--all', '--redis', redis.url);
    expect(again.code).toBe(4);
    expect(again.stderr).toContain('nothing is parked');
  },
);

test(
  'a parked item is dropped after a yes, and never where the user cannot be asked',
  { timeout: slow },
  async () => {
    const lease = await queue.take(name, AbortSignal.timeout(slow));
    await lease?.park('the reply was 400');
    const drop = (...args: readonly string[]) =>
      up.finished('queue', 'drop', '--all', '--redis', redis.url, ...args);
    const unasked = await drop();
    expect(unasked.code).toBe(2);
    expect(unasked.stderr).toMatch(/^error: drop 1 parked item\? .*\nnext: .* --yes\n$/);
    const foreseen = await drop('--dry-run');
    expect(foreseen.stdout).toBe('flow-advance JobFlow/default/hello would be dropped\n');
    expect(await queue.depth(name)).toMatchObject({ parked: 1 });
    const dropped = await drop('--yes');
    expect([dropped.code, dropped.stdout]).toEqual([
      0,
      'flow-advance JobFlow/default/hello is dropped\n',
    ]);
    expect(await queue.depth(name)).toMatchObject({ waiting: 0, parked: 0 });
    expect((await drop('--yes')).code).toBe(4);
  },
);

test('without a Redis it is the queue of `up`', { timeout: slow }, async () => {
  const { code, stdout } = await up.finished('queue', '-o', 'json');
  expect(code).toBe(0);
  const functions = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { function: string });
  expect(functions.map((each) => each.function)).toContain(name);
});
