/**
 * The control port of `millrace up`, which shows records and delivers events again to a user who has its kubeconfig.
 * Processes in a cluster have no such port.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { request } from 'undici';
import { parse } from 'yaml';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startUp } from '#functions/millrace/up/start-up.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { startFlowAdvance } from '#test/support/flow-advance-process.ts';

interface Records {
  readonly events: readonly { readonly event: { readonly id: string } }[];
  readonly decisions: number;
}

let stateRoot: string;
let up: Awaited<ReturnType<typeof startUp>>;
let client: KubeClient;
let authorization: string;
let flow: KubeObject;

const name = 'confidential-flow';
const flowKey = { namespace: 'default', name };

beforeAll(async () => {
  stateRoot = await mkdtemp(join(tmpdir(), 'millrace-replay-'));
  const logger = pino({ level: 'silent' });
  up = await startUp({
    ...{ port: 0, nodes: 1, speed: 40, runCommands: false, webhooks: false },
    ...{ stateRoot, logger },
  });
  const { users } = parse(await readFile(up.kubeconfig, 'utf8')) as {
    readonly users: readonly { readonly user: { readonly token: string } }[];
  };
  authorization = `Bearer ${users[0]?.user.token ?? ''}`;
  client = up.cluster.client({ user: 'somebody', fieldManager: 'somebody' });
  const { group, version } = resources.JobFlow;
  const pod = { containers: [{ name: 'main', image: 'busybox', command: ['true'] }] };
  await client.create(
    resources.JobFlow,
    {
      ...{ apiVersion: `${group}/${version}`, kind: 'JobFlow', metadata: flowKey },
      spec: { flows: [{ name: 'a', jobTemplate: { template: { spec: pod } } }] },
    },
    { fieldManager: 'somebody' },
  );
  flow = await vi.waitFor(async () => {
    const read = await client.get(resources.JobFlow, flowKey);
    expect(read?.status).toMatchObject({ state: 'Succeed' });
    return read!;
  }, 20_000);
}, 60_000);
afterAll(async () => {
  await up.stop();
  await rm(stateRoot, { recursive: true, force: true });
});

type Sent = NonNullable<Parameters<typeof request>[1]>;
/** The literal path, which `fetch` would normalise. */
async function asked(path: string, { headers, ...sent }: Sent = {}) {
  const { statusCode, body } = await request(new URL(up.control).origin, {
    ...{ path, headers: { authorization, ...(headers as Record<string, string>) } },
    ...sent,
  });
  return { code: statusCode, text: await body.text() };
}
const records = async (): Promise<Records> =>
  JSON.parse((await asked(`/events/of/${flow.metadata.uid}`)).text) as Records;
const replay = (id: string, headers: Readonly<Record<string, string>> = {}) =>
  asked(`/events/${id}/redeliver`, { method: 'POST', headers });
/** The version of each object that a replay could have touched. */
const versions = async (): Promise<readonly (string | undefined)[]> => {
  const { items } = await client.list(resources.Job, {});
  const all = [await client.get(resources.JobFlow, flowKey), ...items];
  return all.map((object) => object?.metadata.resourceVersion);
};

it('#41 delivers what it has recorded again, and nothing in the cluster changes', async () => {
  const before = await versions();
  const { events, decisions } = await records();
  expect(events.length).toBeGreaterThan(3);
  for (const { event } of events) {
    const { code, text } = await replay(encodeURIComponent(event.id));
    expect(code).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ isHandled: true, isRecordedAgain: false, effects: 0 });
  }
  expect(await versions()).toEqual(before);
  expect((await records()).decisions).toBe(decisions);
});

it('#41 takes an id and neither a path, an address, nor a recording', async () => {
  const [first] = (await records()).events;
  const id = first?.event.id ?? '';
  const foreign = id.replace(/^[^.]+/, crypto.randomUUID());
  const outside = ['../../../../etc/passwd', 'file:///etc/passwd', 'http://127.0.0.1:1/', '.', id];
  for (const each of [foreign, ...outside.slice(0, -1).map(encodeURIComponent)]) {
    const { code, text } = await replay(each);
    expect(code, each).toBe(404);
    expect(text).not.toContain('root:');
  }
  expect((await asked(`/events/../events/of/../../etc/passwd`)).code).toBe(404);
  const recording = JSON.stringify({ event: { id: foreign }, plan: [{ op: 'delete' }] });
  const headers = { authorization, 'content-type': 'application/json' };
  const sent = await asked(`/events/${foreign}/redeliver`, {
    ...{ method: 'POST', headers, body: recording },
  });
  expect(sent.code).toBe(404);
});

it('#41 refuses an id, and a body, that are too long', async () => {
  expect((await replay('x'.repeat(1_000))).code).toBeGreaterThanOrEqual(404);
  expect((await replay('x'.repeat(100_000))).code).toBe(431);
  const headers = { 'content-type': 'application/json' };
  const body = Buffer.alloc(20_000_000, ' ');
  const sent = asked('/events/x/redeliver', { method: 'POST', headers, body });
  expect(
    await sent.then(
      ({ code }) => code,
      // The connection may be closed while the rest is still being sent.
      (error: unknown) => (error as NodeJS.ErrnoException).code,
    ),
  ).toSatisfy((end) => [413, 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(end as string));
  expect((await asked('/health/liveness')).code).toBe(200);
});

const strangers: Readonly<Record<string, readonly [Readonly<Record<string, string>>, number]>> = {
  'no credentials': [{ authorization: '' }, 401],
  'any bearer': [{ authorization: 'Bearer anything' }, 401],
  'another scheme': [{ authorization: 'Basic YWRtaW46YWRtaW4=' }, 401],
  'a cookie of a browser': [{ authorization: '', cookie: 'token=1' }, 401],
  'a web page with the token': [{ origin: 'https://example.com' }, 403],
  'a web page of this machine with the token': [{ origin: 'http://127.0.0.1:3000' }, 403],
  'a form of another site': [{ 'sec-fetch-site': 'cross-site' }, 403],
  'a name that leads here': [{ host: 'rebound.example.com' }, 403],
};
for (const [who, [headers, refusal]] of Object.entries(strangers)) {
  it(`#42 shows and does nothing for ${who}`, async () => {
    const [first] = (await records()).events;
    const id = encodeURIComponent(first?.event.id ?? '');
    const answers = [
      await asked(`/events/of/${flow.metadata.uid}`, { headers }),
      await replay(id, headers),
    ];
    for (const { code, text } of answers) {
      expect(code).toBe(refusal);
      expect(text).not.toContain(name);
    }
    // Metrics need no token, but a browser is refused all the same.
    const metrics = await asked('/metrics', { headers });
    expect(metrics.code).toBe(refusal === 401 ? 200 : refusal);
    expect(metrics.text).not.toContain(name);
  });
}

it('#42 deletes nothing, for any user', async () => {
  for (const method of ['DELETE', 'PUT', 'PATCH'] as const) {
    expect((await asked(`/events/of/${flow.metadata.uid}`, { method })).code).toBe(404);
  }
  expect((await records()).events.length).toBeGreaterThan(3);
});

it('#42 a process of a cluster has no door to records, for any user', async () => {
  const served = await startFlowAdvance();
  const { uid } = flow.metadata;
  const doors = ['/', `/events/of/${uid}`, '/records', '/journal', '/dashboard', '/api', '/debug'];
  try {
    for (const door of doors) {
      const { status } = await fetch(new URL(door, served.url), { headers: { authorization } });
      expect(status, door).toBe(404);
    }
    const replayed = await fetch(new URL('/events/1/redeliver', served.url), { method: 'POST' });
    expect(replayed.status).toBe(404);
  } finally {
    await served.stop();
  }
});
