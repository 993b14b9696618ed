/** The process itself, against a loopback API server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startMain, type ChildMain } from '#shared/runtime/testing/child-main.ts';
import { dueHeaders } from '#shared/runtime/testing/served-function.ts';
import { LoopbackApiServer } from '#test/support/loopback-api-server.ts';
import { kubeconfigFor } from '#test/support/loopback-kubeconfig.ts';

/** For a busy machine. */
const patience = { timeout: 45_000 };
const flowPath = '/apis/api.practice.com/v1alpha1/namespaces/default/jobflows/a';
vi.setConfig({ testTimeout: 30_000 });
let api: LoopbackApiServer;
let folder: string;
let env: Record<string, string>;
let child: ChildMain | undefined;

beforeEach(async () => {
  api = await LoopbackApiServer.start();
  folder = await mkdtemp(join(tmpdir(), 'millrace-main-'));
  const kubeconfig = join(folder, 'config');
  await writeFile(kubeconfig, kubeconfigFor(api.url));
  env = {
    ...{ KUBECONFIG: kubeconfig, PORT: '0', MILLRACE_HOST: '127.0.0.1' },
    // There is no webhook that records submitters.
    MILLRACE_TRUST_NAMESPACES: 'true',
  };
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await child?.exit;
  child = undefined;
  await api.close();
  await rm(folder, { recursive: true });
});

const start = (extra: Record<string, string> = {}): ChildMain =>
  (child = startMain(join(import.meta.dirname, 'main.ts'), { ...env, ...extra }));
const send = (url: string): Promise<Response> =>
  fetch(url, { method: 'POST', headers: dueHeaders('a') });

it('starts alone and decides about the flow that an event names', async () => {
  const url = await start().url;
  expect((await send(url)).status).toBe(204);
  expect(api.seen({ path: flowPath })).toHaveLength(1);
  expect(api.seen({})[0]?.headers['user-agent']).toMatch(/^millrace\/.* \(flow-advance\)$/);
  for (const path of ['/health/liveness', '/health/readiness']) {
    expect((await fetch(url + path)).status).toBe(200);
  }
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('millrace_decisions_total{function="flow-advance",outcome="gone"} 1');
  expect(metrics).toContain(
    'millrace_api_request_seconds_count{verb="get",resource="jobflows",status="404"} 1',
  );
});

it('FUNC_PORT is read as PORT, as Knative sets it for functions', async () => {
  const { PORT: port, ...rest } = env;
  env = { ...rest, FUNC_PORT: String(port) };
  expect((await fetch(`${await start().url}/health/liveness`)).status).toBe(200);
});

describe('SIGTERM', () => {
  it('lets the event under way finish, then exits with 0', async () => {
    const main = start();
    const url = await main.url;
    const asked = api.next({ path: flowPath });
    const answer = send(url);
    const exchange = await asked;
    main.kill('SIGTERM');
    await expect
      .poll(async () => (await fetch(`${url}/health/readiness`)).status, patience)
      .toBe(503);
    exchange.status(404);
    expect((await answer).status).toBe(204);
    expect(await main.exit).toMatchObject({ code: 0, stderr: '' });
  });
  it('given twice exits with 130 at once', async () => {
    const main = start();
    const url = await main.url;
    const asked = api.next({ path: flowPath });
    const answer = send(url).catch(() => 'cut off');
    await asked;
    main.kill('SIGTERM');
    await expect
      .poll(async () => (await fetch(`${url}/health/readiness`)).status, patience)
      .toBe(503);
    main.kill('SIGINT');
    expect(await main.exit).toMatchObject({ code: 130 });
    expect(await answer).toBe('cut off');
  });
  it('exits with 0 when the event does not finish within the drain time', async () => {
    const main = start({ MILLRACE_DRAIN_SECONDS: '0' });
    const asked = api.next({ path: flowPath });
    const answer = send(await main.url).catch(() => 'cut off');
    await asked;
    main.kill('SIGTERM');
    expect(await main.exit).toMatchObject({ code: 0 });
    expect(await answer).toBe('cut off');
  });
});

describe('a start that cannot succeed', () => {
  it('names every fault of the configuration at once and exits with 1', async () => {
    const main = start({ PORT: 'x', REDIS_URL: 'http://r', MILLRACE_MAX_INFLIGHT: '1' });
    const { code, stderr } = await main.exit;
    expect(code).toBe(1);
    for (const fault of ['PORT: ', 'REDIS_URL: ', 'MILLRACE_MAX_INFLIGHT is not a setting']) {
      expect(stderr).toContain(fault);
    }
    expect(stderr).toContain('next: ');
  });
  it('says which cluster configuration is missing', async () => {
    const { code, stderr } = await start({ KUBECONFIG: join(folder, 'nowhere') }).exit;
    expect(code).toBe(1);
    expect(stderr).toContain('MR_KUBECONFIG_UNUSABLE');
  });
});
