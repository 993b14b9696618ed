import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import { resources } from '#shared/domain/resources.ts';
import { LoopbackApiServer, statusBody } from '#test/support/loopback-api-server.ts';
import { clientFor, connectTo } from '#test/support/loopback-client.ts';
import type { Connection } from './connection.ts';
import type { ServerTime } from './api-transport.ts';
import type { HttpKubeClient, HttpKubeClientOptions, RequestReport } from './http-client.ts';
import { asUid } from '#shared/domain/objects.ts';

const { Job } = resources;
const jobs = '/apis/batch/v1/namespaces/ns/jobs';
const name = { namespace: 'ns', name: 'a' };
const metadata = { name: 'a', namespace: 'ns', uid: 'u1', resourceVersion: '7' };
const wireJob = { apiVersion: 'batch/v1', kind: 'Job', metadata };
const newJob = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a', namespace: 'ns' } };

let server: LoopbackApiServer;
let connection: Connection;
let client: HttpKubeClient;

async function useClient(options: Partial<HttpKubeClientOptions> = {}): Promise<void> {
  await (connection as Connection | undefined)?.close();
  ({ client, connection } = await clientFor(server.url, { random: () => 0, ...options }));
}

beforeEach(async () => {
  server = await LoopbackApiServer.start();
  await useClient();
});

afterEach(async () => {
  await connection.close();
  await server.close();
});

async function faultOf(promise: Promise<unknown>): Promise<MillraceError> {
  const error: unknown = await promise.then(
    () => undefined,
    (fault: unknown) => fault,
  );
  expect(error).toBeInstanceOf(MillraceError);
  return error as MillraceError;
}

describe('what comes back', () => {
  it('has apiVersion and kind filled in and managedFields left out in a list', async () => {
    server.once({ path: jobs }, (exchange) =>
      exchange.list({
        resourceVersion: '9',
        continue: 'next',
        items: [{ metadata: { ...metadata, managedFields: [{ manager: 'm' }] } }],
      }),
    );
    expect(await client.list(Job, { namespace: 'ns', limit: 1 })).toEqual({
      resourceVersion: '9',
      continue: 'next',
      items: [wireJob],
    });
    expect(server.requests[0]?.query.toString()).toBe('limit=1');
  });

  it('is undefined from get when there is no such object', async () => {
    expect(await client.get(Job, name)).toBeUndefined();
  });

  it('is undefined from delete when the object went at once, the object while it stays', async () => {
    const staying = { ...wireJob, metadata: { ...metadata, finalizers: ['foregroundDeletion'] } };
    server.once({ method: 'DELETE' }, (exchange) => exchange.json(200, { kind: 'Status' }));
    server.once({ method: 'DELETE' }, (exchange) => exchange.json(202, staying));
    server.once({ method: 'DELETE' }, (exchange) => exchange.json(200, wireJob));
    expect(await client.delete(Job, name)).toBeUndefined();
    expect(await client.delete(Job, name)).toEqual(staying);
    expect(await client.delete(Job, name)).toBeUndefined();
  });
});

describe('what is served', () => {
  const resource = (name: string, kind: string, namespaced: boolean) => ({
    name,
    kind,
    namespaced,
  });

  it('is the resources of one version, without subresources', async () => {
    const list = [
      resource('deployments', 'Deployment', true),
      resource('deployments/scale', 'Scale', true),
    ];
    server.once({ path: '/apis/apps/v1' }, (exchange) =>
      exchange.json(200, { kind: 'APIResourceList', resources: list }),
    );
    server.once({ path: '/api/v1' }, (exchange) =>
      exchange.json(200, { resources: [resource('nodes', 'Node', false)] }),
    );
    expect(await client.discover('apps/v1')).toEqual([
      {
        ...{ group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment' },
        namespaced: true,
      },
    ]);
    expect(await client.discover('v1')).toEqual([resources.Node]);
  });

  it('is undefined where no such version is served', async () => {
    expect(await client.discover('apps/v2')).toBeUndefined();
  });
});

describe('what is stored nowhere', () => {
  const reviews = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

  it('is answered by a dry run without a version', async () => {
    const tried = { name: 'a', namespace: 'ns', uid: 'u1' };
    server.once({ path: jobs }, (exchange) => exchange.json(201, { ...wireJob, metadata: tried }));
    const created = await client.create(Job, newJob, { dryRun: true });
    expect(created.metadata).toEqual(tried);
    expect(server.requests[0]?.query.get('dryRun')).toBe('All');
  });

  it('is a review, of which the status comes back', async () => {
    server.once({ path: reviews }, (exchange) =>
      exchange.json(201, { metadata: {}, spec: { user: 'ann' }, status: { allowed: false } }),
    );
    const status = await client.review(resources.SubjectAccessReview, { user: 'ann' });
    expect(status).toEqual({ allowed: false });
    expect(JSON.parse(server.requests[0]!.body)).toEqual({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: 'ann' },
    });
  });

  it('is not waited for after an abort', async () => {
    const left = new AbortController();
    const asked = server.next({ path: reviews });
    const review = client.review(resources.SubjectAccessReview, {}, left.signal);
    await asked;
    left.abort(new Error('the caller left'));
    await expect(review).rejects.toThrow('the caller left');
  });
});

describe('what is sent', () => {
  it('names the component in the User-Agent, by which the audit log counts', async () => {
    await client.get(Job, name);
    expect(server.requests[0]?.headers['user-agent']).toBe('millrace/test (test)');
  });

  it('looks in the namespace that it serves, where a list or watch names none', async () => {
    await useClient({ namespace: 'served' });
    const signal = new AbortController().signal;
    const watch = { resourceVersion: '7', timeoutSeconds: 1, signal };
    await faultOf(client.list(Job, {}));
    await faultOf(client.list(Job, { namespace: 'ns' }));
    await faultOf(client.list(resources.Node, {}));
    await faultOf(client.watch(Job, watch)[Symbol.asyncIterator]().next());
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/apis/batch/v1/namespaces/served/jobs',
      jobs,
      '/api/v1/nodes',
      '/apis/batch/v1/namespaces/served/jobs',
    ]);
  });

  it('carries the preconditions and the propagation of a delete', async () => {
    server.on({}, (exchange) => exchange.json(200, { kind: 'Status' }));
    await client.delete(Job, name, { uid: asUid('u1'), propagation: 'Background' });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Background',
      preconditions: { uid: 'u1' },
    });
  });

  it('patches the status subresource as a merge patch', async () => {
    server.on({}, (exchange) => exchange.json(200, wireJob));
    await client.patch(Job, name, { status: {} }, { type: 'merge', subresource: 'status' });
    const [request] = server.requests;
    expect(request?.path).toBe(`${jobs}/a/status`);
    expect(request?.headers['content-type']).toBe('application/merge-patch+json');
  });

  it('goes over kept connections', async () => {
    server.on({}, (exchange) => exchange.json(200, wireJob));
    for (let call = 0; call < 20; call += 1) await client.get(Job, name);
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it('is reported to the metrics hook with status and duration', async () => {
    const reports: RequestReport[] = [];
    let now = 0;
    await useClient({ onRequest: (report) => reports.push(report), nowMs: () => (now += 5) });
    server.once({}, (exchange) => exchange.json(200, wireJob));
    await client.get(Job, name);
    expect(reports).toEqual([{ verb: 'get', resource: 'jobs', status: 200, durationMs: 5 }]);
  });
});

describe('a warning', () => {
  it('is reported before the write fulfils', async () => {
    const headers = { warning: '299 - "unknown field \\"spec.x\\""' };
    server.once({ path: jobs }, (exchange) => exchange.json(201, wireJob, headers));
    const warnings: string[] = [];
    await client.create(Job, newJob, { onWarning: (text) => warnings.push(text) });
    expect(warnings).toEqual(['unknown field "spec.x"']);
  });

  it('is reported once for a write that is refused, also for a dry run', async () => {
    const warning = '299 - "unknown field \\"spec.x\\""';
    const warnings: string[] = [];
    const onWarning = (text: string): void => void warnings.push(text);
    for (const dryRun of [false, true]) {
      server.once({ path: jobs }, (exchange) => exchange.json(422, { code: 422 }, { warning }));
      await expect(client.create(Job, newJob, { onWarning, dryRun })).rejects.toMatchObject({
        code: 'MR_API_INVALID',
      });
    }
    expect(warnings).toEqual(['unknown field "spec.x"', 'unknown field "spec.x"']);
  });
});

describe("the server's time", () => {
  it('is reported with every answer and its duration: also a refusal, a failure, a watch', async () => {
    const times: ServerTime[] = [];
    let now = 0;
    await useClient({ onServerTime: (time) => times.push(time), nowMs: () => (now += 5) });
    server.once({ watch: false }, (exchange) => exchange.json(200, wireJob));
    await client.get(Job, name);
    server.once({ watch: false }, (exchange) => exchange.status(409, { reason: 'Conflict' }));
    await client.create(Job, newJob).catch(() => undefined);
    server.once({ watch: false }, (exchange) => exchange.status(500));
    await client.create(Job, newJob).catch(() => undefined);
    const stop = new AbortController();
    server.once({ watch: true }, (exchange) => exchange.watch().end());
    const watch = { namespace: 'ns', resourceVersion: '1', timeoutSeconds: 1, signal: stop.signal };
    await client.watch(Job, watch)[Symbol.asyncIterator]().next();
    expect(times).toHaveLength(4);
    for (const { date, askedMs, answeredMs } of times) {
      expect(Math.abs(Date.parse(date ?? '') - Date.now())).toBeLessThan(5_000);
      expect(answeredMs).toBeGreaterThan(askedMs);
    }
  });

  it('is not reported where no answer came', async () => {
    const times: ServerTime[] = [];
    await useClient({ onServerTime: (time) => times.push(time) });
    await server.close();
    await client.create(Job, newJob).catch(() => undefined);
    expect(times).toEqual([]);
  });
});

describe('a refusal', () => {
  it.each([
    [400, 'BadRequest', 'MR_API_INVALID'],
    [403, 'Forbidden', 'MR_API_FORBIDDEN'],
    [404, 'NotFound', 'MR_API_NOT_FOUND'],
    [405, 'MethodNotAllowed', 'MR_API_REFUSED'],
    [409, 'AlreadyExists', 'MR_API_CONFLICT'],
    [410, 'Expired', 'MR_API_GONE'],
    [413, 'RequestEntityTooLarge', 'MR_API_TOO_LARGE'],
    [422, 'Invalid', 'MR_API_INVALID'],
    [429, 'TooManyRequests', 'MR_API_RETRYABLE'],
    [500, 'InternalError', 'MR_API_RETRYABLE'],
    [503, 'ServiceUnavailable', 'MR_API_RETRYABLE'],
  ])('with %i %s is %s', async (code, reason, expected) => {
    server.once({}, (exchange) => exchange.status(code, { reason, message: 'said why' }));
    const fault = await faultOf(client.create(Job, newJob));
    expect(fault.code).toBe(expected);
    expect(fault.fields).toEqual({
      verb: 'create',
      path: jobs,
      status: code,
      reason,
      detail: 'said why',
    });
  });

  it.each([
    'etcdserver: request is too large',
    'rpc error: code = ResourceExhausted desc = trying to send message larger than max (2200576 vs. 2097152)',
  ])('with 500 and no reason is terminal when what it says is: %s', async (message) => {
    server.once({}, (exchange) => exchange.status(500, { message }));
    const fault = await faultOf(client.create(Job, newJob));
    expect(fault).toMatchObject({ code: 'MR_API_TOO_LARGE', class: 'terminal' });
    expect(fault.fields['detail']).toBe(message);
  });

  it.each([401, 404, 409, 410, 429, 500, 503])(
    'by an admission is terminal, also when it answers with %i',
    async (code) => {
      const denials = [
        'admission webhook "w.example.com" denied the request: why',
        `jobs.batch "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: why`,
      ];
      for (const message of denials) {
        server.once({}, (exchange) => exchange.status(code, { reason: 'AlreadyExists', message }));
        const fault = await faultOf(client.create(Job, newJob));
        expect(fault).toMatchObject({ code: 'MR_API_DENIED', class: 'terminal' });
      }
    },
  );

  it.each([
    [400, 'MR_API_INVALID'],
    [403, 'MR_API_FORBIDDEN'],
    [413, 'MR_API_TOO_LARGE'],
    [422, 'MR_API_INVALID'],
  ])('by an admission with %i is one like that of the server: %s', async (code, expected) => {
    const message = 'admission webhook "w.example.com" denied the request';
    server.once({}, (exchange) => exchange.status(code, { message }));
    expect((await faultOf(client.create(Job, newJob))).code).toBe(expected);
  });

  it('names how long to wait, from the header before the body', async () => {
    const details = { retryAfterSeconds: 9 };
    server.once({}, (exchange) =>
      exchange.status(429, { details, headers: { 'retry-after': '2' } }),
    );
    server.once({}, (exchange) => exchange.status(503, { details }));
    expect((await faultOf(client.create(Job, newJob))).retryAfterMs).toBe(2000);
    expect((await faultOf(client.create(Job, newJob))).retryAfterMs).toBe(9000);
  });

  it('from a proxy without a Status keeps the first line of what it said', async () => {
    server.once({}, (exchange) => exchange.text(502, 'Bad Gateway\n<html>'));
    const fault = await faultOf(client.create(Job, newJob));
    expect(fault.code).toBe('MR_API_RETRYABLE');
    expect(fault.fields['detail']).toBe('Bad Gateway');
  });

  it('keeps the types of the causes that the Status names', async () => {
    const details = { causes: [{ reason: 'NamespaceTerminating', message: 'm' }] };
    server.once({}, (exchange) => exchange.status(403, { details }));
    expect((await faultOf(client.create(Job, newJob))).fields['causes']).toBe(
      'NamespaceTerminating',
    );
  });
});

describe('a broken connection', () => {
  it('is tried again for a read', async () => {
    server.once({}, (exchange) => exchange.reset());
    server.once({}, (exchange) => exchange.truncated('{"kind":'));
    server.once({}, (exchange) => exchange.json(200, wireJob));
    expect(await client.get(Job, name)).toEqual(wireJob);
  });

  it('is given up for a read after two repetitions', async () => {
    server.on({}, (exchange) => exchange.reset());
    expect((await faultOf(client.list(Job, {}))).code).toBe('MR_API_UNREACHABLE');
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    ['create', () => client.create(Job, newJob)],
    ['patch', () => client.patch(Job, name, {}, { type: 'merge' })],
    ['delete', () => client.delete(Job, name)],
  ])('is never tried again for a %s, which may have been applied', async (_verb, write) => {
    server.on({}, (exchange) => exchange.reset());
    expect((await faultOf(write())).code).toBe('MR_API_UNREACHABLE');
    expect(server.requests).toHaveLength(1);
  });

  it('is no wait for ever: a silent server is given up after the time limit', async () => {
    await useClient({ timeoutMs: 50 });
    server.on({}, (exchange) => exchange.hang());
    const fault = await faultOf(client.get(Job, name));
    expect(fault.code).toBe('MR_API_UNREACHABLE');
    expect(fault.message).toContain('no answer within 50 ms');
    // On a busy machine it may not have arrived yet, but it is never sent twice.
    expect(server.requests.length).toBeLessThanOrEqual(1);
  });

  it('is distinguished from an abort, which rejects with its reason', async () => {
    const reason = new Error('stopped');
    const controller = new AbortController();
    const pending = client.get(Job, name, controller.signal);
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
  });

  it('to a server that is not there is unreachable', async () => {
    const { port } = server;
    await server.close();
    const { client: lost, connection: other } = await clientFor(`http://127.0.0.1:${port}`);
    const fault = await faultOf(lost.get(Job, name));
    expect(fault.code).toBe('MR_API_UNREACHABLE');
    expect(fault.fields['detail']).toContain('ECONNREFUSED');
    await other.close();
    server = await LoopbackApiServer.start();
  });
});

describe('an expired credential', () => {
  it('is read again once after a 401 and the request, also a write, sent again', async () => {
    let token = 'old';
    await useClient({
      connection: await connectTo(server.url, (forced) => {
        if (forced) token = 'new';
        return Promise.resolve({ tls: {}, headers: { authorization: `Bearer ${token}` } });
      }),
    });
    server.on({}, (exchange) =>
      exchange.request.headers.authorization === 'Bearer new'
        ? exchange.json(201, wireJob)
        : exchange.status(401, { reason: 'Unauthorized' }),
    );
    expect(await client.create(Job, newJob)).toEqual(wireJob);
    expect(server.requests).toHaveLength(2);
  });

  it('that is the same when read again is refused without a second request', async () => {
    server.on({}, (exchange) => exchange.status(401, { reason: 'Unauthorized' }));
    const fault = await faultOf(client.get(Job, name));
    expect(fault.code).toBe('MR_API_REFUSED');
    expect(server.requests).toHaveLength(1);
  });
});

describe('a watch', () => {
  function watch(signal = new AbortController().signal): AsyncIterator<unknown> {
    const options = { namespace: 'ns', resourceVersion: '5', timeoutSeconds: 300, signal };
    return client.watch(Job, options)[Symbol.asyncIterator]();
  }

  it('asks for bookmarks from the given version on', async () => {
    const events = watch();
    const first = events.next();
    const exchange = await server.next({ watch: true });
    exchange.watch().end();
    expect((await first).done).toBe(true);
    expect(Object.fromEntries(exchange.request.query)).toEqual({
      resourceVersion: '5',
      timeoutSeconds: '300',
      watch: 'true',
      allowWatchBookmarks: 'true',
    });
  });

  it('yields changes and bookmarks as they arrive, also when a line arrives in two pieces', async () => {
    const events = watch();
    const first = events.next();
    const stream = (await server.next({ watch: true })).watch();
    stream.event('ADDED', { ...wireJob, metadata: { ...metadata, managedFields: [] } });
    expect((await first).value).toEqual({ type: 'ADDED', object: wireJob });
    const second = events.next();
    stream.raw('{"type":"BOOKMARK","object":{"metadata":');
    stream.raw('{"resourceVersion":"12"}}}\n');
    expect((await second).value).toEqual({ type: 'BOOKMARK', resourceVersion: '12' });
    stream.end();
    expect((await events.next()).done).toBe(true);
  });

  it('takes no connection from requests, however many watches are open', async () => {
    const stop = new AbortController();
    const opened = Array.from({ length: 40 }, () => server.next({ watch: true }));
    const ends = opened.map(() => watch(stop.signal).next());
    for (const exchange of await Promise.all(opened)) exchange.watch();
    server.once({ path: jobs }, (exchange) => exchange.list({ resourceVersion: '9', items: [] }));
    expect(await client.list(Job, { namespace: 'ns' })).toMatchObject({ items: [] });
    stop.abort();
    await Promise.allSettled(ends);
  });

  it('is gone when the version is too old, by status or by event', async () => {
    server.once({ watch: true }, (exchange) => exchange.status(410, { reason: 'Expired' }));
    expect((await faultOf(watch().next())).code).toBe('MR_API_GONE');
    server.once({ watch: true }, (exchange) =>
      exchange.watch().event('ERROR', statusBody(410, { reason: 'Expired' })),
    );
    expect((await faultOf(watch().next())).code).toBe('MR_API_GONE');
  });

  it('fails with what any other ERROR event says', async () => {
    server.once({ watch: true }, (exchange) =>
      exchange.watch().event('ERROR', statusBody(500, { reason: 'InternalError' })),
    );
    expect((await faultOf(watch().next())).code).toBe('MR_API_RETRYABLE');
  });

  it.each([
    ['cut within a line', '{"type":"ADDED","obj'],
    ['with a line that is no JSON', 'no json\n'],
    ['with an event of an unknown type', '{"type":"RENAMED","object":{}}\n'],
    ['with an object that has no uid', '{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n'],
  ])('%s is unreachable, since an event skipped is an event lost', async (_what, bytes) => {
    server.once({ watch: true }, (exchange) => {
      const stream = exchange.watch();
      stream.raw(bytes);
      stream.end();
    });
    expect((await faultOf(watch().next())).code).toBe('MR_API_UNREACHABLE');
  });

  it('that is reset is unreachable', async () => {
    const pending = faultOf(watch().next());
    const stream = (await server.next({ watch: true })).watch();
    stream.reset();
    expect((await pending).code).toBe('MR_API_UNREACHABLE');
  });

  it('ends without a fault when it is aborted, and leaves no connection behind', async () => {
    const controller = new AbortController();
    const pending = watch(controller.signal).next();
    const stream = (await server.next({ watch: true })).watch();
    controller.abort();
    expect((await pending).done).toBe(true);
    await stream.closed;
  });

  it('closes its connection when the reader stops reading', async () => {
    const events = watch();
    const first = events.next();
    const stream = (await server.next({ watch: true })).watch();
    stream.event('ADDED', wireJob);
    await first;
    await events.return?.();
    await stream.closed;
    expect(server.requests).toHaveLength(1);
  });

  it('may stay silent for longer than the time limit of a request', async () => {
    await useClient({ timeoutMs: 50 });
    const pending = watch().next();
    const stream = (await server.next({ watch: true })).watch();
    await new Promise((resolve) => setTimeout(resolve, 1200));
    stream.event('ADDED', wireJob);
    expect((await pending).done).toBe(false);
  });
});
