import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { everyFunctionAt } from '#functions/dispatcher/testing/every-function-at.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import { silentLog } from '#shared/redis/log.ts';
import { requireSecureRedis } from '#shared/redis/transport.ts';
import { type ChildMain, startMain } from '#shared/runtime/testing/child-main.ts';
import { commandLine } from '#functions/millrace/testing/cli.ts';
import { LoopbackApiServer } from '#test/support/loopback-api-server.ts';
import { kubeconfigFor } from '#test/support/loopback-kubeconfig.ts';

const refusal = expect.objectContaining({ code: 'MR_REDIS_INSECURE' }) as Error;

it.each([
  'redis://10.0.0.1',
  'redis://redis.example:6379',
  'redis://:secret@[2001:db8::1]:6379/1',
  'redis://127.0.0.1.example',
  'redis://localhost@10.0.0.1',
  'redis:///0?host=10.0.0.1',
  'rediss://10.0.0.1?tls=',
])('#38 refuses %s', (url) => {
  expect(() => requireSecureRedis(url)).toThrow(refusal);
  expect(() => requireSecureRedis(url, true)).not.toThrow();
  const options = { url, log: silentLog, prefix: '{a}' };
  expect(() => createBullmqQueue(options)).toThrow(refusal);
  expect(() => createRedisJournal(options)).toThrow(refusal);
});

it.each([
  'redis://127.0.0.1:6379',
  'redis://127.8.9.10',
  'redis://localhost:6379',
  'redis://:secret@[::1]:6379/1',
  'rediss://10.0.0.1',
  'rediss://redis.example:6379',
])('#38 takes %s', (url) => {
  expect(() => requireSecureRedis(url)).not.toThrow();
});

describe('a process', () => {
  let api: LoopbackApiServer;
  let folder: string;
  let kubeconfig: string;
  const children: ChildMain[] = [];
  beforeAll(async () => {
    api = await LoopbackApiServer.start();
    folder = await mkdtemp(join(tmpdir(), 'millrace-plain-redis-'));
    kubeconfig = join(folder, 'config');
    await writeFile(kubeconfig, kubeconfigFor(api.url));
  });
  afterAll(async () => {
    for (const child of children) {
      child.kill('SIGKILL');
      await child.exit;
    }
    await api.close();
    await rm(folder, { recursive: true });
  });

  const start = (name: string, env: Readonly<Record<string, string>> = {}): ChildMain => {
    const child = startMain(join(import.meta.dirname, `../../functions/${name}/main.ts`), {
      KUBECONFIG: kubeconfig,
      PORT: '0',
      REDIS_URL: 'redis://:secret@redis.invalid:6379',
      ...env,
    });
    children.push(child);
    return child;
  };
  const dispatcher = everyFunctionAt('http://127.0.0.1:1');

  it.each([
    ['bridge', {}],
    ['flow-advance', {}],
    ['dispatcher', dispatcher],
  ])('#38 ends %s with 1 before anything is asked', async (name, env) => {
    const { code, stderr } = await start(name, env).exit;
    expect(code).toBe(1);
    expect(stderr).toContain('Redis at redis.invalid:6379 is on another machine');
    expect(stderr).toContain('(MR_REDIS_INSECURE)\nnext: use a rediss:// URL');
    expect(stderr).not.toContain('secret');
    expect(api.seen({})).toEqual([]);
  });

  it.each(['run', 'up'])(
    '#38 ends millrace %s with 1 before anything is asked',
    async (command) => {
      await using cli = await commandLine();
      const redis = 'redis://:secret@redis.invalid:6379';
      const port = ['--port', '0'];
      const { exited, stderr } = cli.start([command, '--redis', redis, ...port], {
        KUBECONFIG: kubeconfig,
      });
      expect(await exited).toBe(1);
      expect(stderr()).toContain('MR_REDIS_INSECURE');
      expect(stderr()).not.toContain('secret');
      expect(api.seen({})).toEqual([]);
    },
  );

  it('#38 starts with it when a setting says so', async () => {
    const allowed = { MILLRACE_REDIS_INSECURE: 'true', MILLRACE_CLUSTER_UID: 'a-cluster' };
    expect(await start('dispatcher', { ...dispatcher, ...allowed }).url).toMatch(/^http:/);
  });
});
