import { Agent, request, type RequestOptions } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { Admission } from '#shared/admission/admission.ts';
import { configMap, reviewBody } from '#shared/admission/testing/review-body.ts';
import type { ReviewRecord } from '#shared/admission/review-record.ts';
import { protectKept, stampAuthor } from '#shared/admission/testing/sample-admissions.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { newPair } from '../testing/certificate-folder.ts';
import { keepLoopBusy } from '../testing/busy-loop.ts';
import {
  memoryRecorder,
  serveAdmissions,
  testToken,
  type ServedAdmissions,
} from '../testing/served-admissions.ts';

let served: ServedAdmissions | undefined;
afterEach(async () => {
  await served?.stop();
  served = undefined;
});

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: JsonObject;
}

/** One request; without an agent, on a connection of its own. */
function call(path: string, body?: Buffer, options: RequestOptions = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const method = body === undefined ? 'GET' : 'POST';
  const headers = { 'content-type': 'application/json', ...(options.headers as object) };
  const all = { agent: false, ca: served!.ca, method, ...options, headers } as const;
  const base = path.startsWith('/health') ? served!.root : served!.url;
  const outgoing = request(`${base}${path}`, all, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const parsed = text.startsWith('{') ? (JSON.parse(text) as JsonObject) : { text };
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parsed });
    });
  });
  outgoing.on('error', reject);
  outgoing.end(body);
  return promise;
}

/** Reviews wait for `release`. */
function waiting() {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const arrived: string[] = [];
  const admission: Admission = {
    ...stampAuthor,
    lookUp: (review) => {
      arrived.push(review.uid);
      return promise;
    },
  };
  return { admission, arrived, release: () => resolve(undefined) };
}
const failing = (decide: Admission['decide']): Admission => ({ ...stampAuthor, decide });

describe('a review', () => {
  it('is answered by the admission under whose name it came', async () => {
    served = await serveAdmissions({ admissions: [stampAuthor, protectKept] });
    const stamped = await call('/stamp-author', reviewBody());
    expect(stamped.status).toBe(200);
    expect(stamped.body['response']).toMatchObject({ uid: 'u-review', allowed: true });
    const deletion = {
      operation: 'DELETE',
      object: null,
      oldObject: configMap('a', { keep: 'yes' }),
    };
    const { body } = await call('/protect-kept', reviewBody(deletion));
    expect(body['response']).toMatchObject({ allowed: false, status: { reason: 'Forbidden' } });
  });

  it('may hold two objects of 3 MiB', async () => {
    served = await serveAdmissions({ admissions: [protectKept] });
    const object = configMap('a', { large: 'x'.repeat(3 * 1024 * 1024) });
    const large = { operation: 'DELETE', object, oldObject: object };
    expect(await call('/protect-kept', reviewBody(large))).toMatchObject({ status: 200 });
  });

  it('that is larger is answered 413 without being read', async () => {
    served = await serveAdmissions({ admissions: [stampAuthor] });
    const headers = { 'content-length': String(100 * 1024 * 1024), expect: '100-continue' };
    const { status, body } = await call('/stamp-author', Buffer.alloc(0), { headers });
    expect([status, body['kind'], body['reason']]).toEqual([
      413,
      'Status',
      'RequestEntityTooLarge',
    ]);
  });

  it('of another version is answered 400 with a Status, which the API server shows', async () => {
    served = await serveAdmissions({ admissions: [stampAuthor] });
    const old = reviewBody({}, { apiVersion: 'admission.k8s.io/v1beta1' });
    const { status, body } = await call('/stamp-author', old);
    expect(status).toBe(400);
    expect(body).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'BadRequest' });
    expect(body['message']).toMatch(/^MR_REVIEW_MALFORMED: .*admissionReviewVersions/);
  });

  it('of something else than is declared is answered 422', async () => {
    served = await serveAdmissions({ admissions: [stampAuthor] });
    const { status } = await call('/stamp-author', reviewBody({ subResource: 'status' }));
    expect(status).toBe(422);
  });

  it('that fails is answered 500 and no denial, without the words of the error (admission-2)', async () => {
    const admission = failing(() => {
      throw new TypeError('canary-7f3a');
    });
    served = await serveAdmissions({ admissions: [admission] });
    const { status, body } = await call('/stamp-author', reviewBody());
    expect([status, body['response']]).toEqual([500, undefined]);
    expect(JSON.stringify(body)).not.toContain('canary');
  });

  it('that takes too long is answered 504', async () => {
    const { admission } = waiting();
    served = await serveAdmissions({ admissions: [admission], budgetMs: 20 });
    const { status, body } = await call('/stamp-author', reviewBody());
    expect([status, body['reason']]).toEqual([504, 'Timeout']);
    expect(body['message']).toBe('MR_REVIEW_LATE: stamp-author did not decide within 20 ms');
  });

  it('beyond the limit is answered 503 with Retry-After; probes are not (admission-1)', async () => {
    const { admission, arrived, release } = waiting();
    served = await serveAdmissions({ admissions: [admission], limits: { maxInFlight: 1 } });
    const first = call('/stamp-author', reviewBody());
    await expect.poll(() => arrived).toHaveLength(1);
    const { status, headers } = await call('/stamp-author', reviewBody());
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(await call('/health/readiness')).toMatchObject({ status: 200 });
    release();
    expect(await first).toMatchObject({ status: 200 });
  });

  it('is answered however busy the process is (admission-1)', async () => {
    const limits = { maxEventLoopUtilization: 0.5, maxEventLoopDelayMs: 10, pressureSampleMs: 20 };
    served = await serveAdmissions({ admissions: [stampAuthor], limits });
    const busyUntil = performance.now() + 400;
    keepLoopBusy(400, 30);
    const answers: number[] = [];
    while (performance.now() < busyUntil) {
      answers.push((await call('/stamp-author', reviewBody())).status);
    }
    expect(new Set(answers)).toEqual(new Set([200]));
  });

  it.each([
    ['header', `POST /${testToken}/stamp-author HTTP/1.1\r\nhost: x\r\n`],
    [
      'body',
      `POST /${testToken}/stamp-author HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`,
    ],
  ])('whose %s does not end is answered 408', async (_part, text) => {
    const limits = { headersTimeoutMs: 50, bodyTimeoutMs: 50 };
    served = await serveAdmissions({ admissions: [stampAuthor], limits });
    const socket = await open();
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(text);
    await closed;
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 408/);
  });
});

describe('a review of a stranger (admission-0)', () => {
  const forged = '0'.repeat(64);

  it.each([
    ['a wrong token', `/${forged}/stamp-author`, 401],
    ['an empty token', '//stamp-author', 401],
    ['no token', '/stamp-author', 404],
    ['a token too long to compare', `/${'a'.repeat(500)}/stamp-author`, 414],
    ['the token in another place', `/stamp-author/${testToken}`, 404],
  ])('with %s learns nothing, and its connection ends', async (_, path, status) => {
    served = await serveAdmissions({ admissions: [stampAuthor] });
    const options = { path };
    const answer = await call('/', reviewBody(), options);
    expect([answer.status, answer.headers['connection'], answer.body['response']]).toEqual([
      status,
      'close',
      undefined,
    ]);
  });

  it.each([`/${forged}/stamp-author`, '/stamp-author'])(
    'at %s is answered before its body has come',
    async (path) => {
      served = await serveAdmissions({ admissions: [stampAuthor] });
      const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;
      const answer = await exchange(await open(), `${head}content-length: 6000000\r\n\r\n{`);
      expect(answer).toMatch(/^HTTP\/1\.1 40[14] /);
    },
  );

  it('takes no turn of the API server, and pushes no body of it out', async () => {
    const limits = { maxInFlight: 1, maxBodies: 1 };
    served = await serveAdmissions({ admissions: [stampAuthor], limits });
    const body = reviewBody();
    const real = await open();
    const answered = new Promise<Buffer>((resolve) => real.once('data', resolve));
    real.write(
      `POST /${testToken}/stamp-author HTTP/1.1\r\nhost: x\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    const strangers = Array.from({ length: 48 }, () =>
      call('/', reviewBody(), { path: `/${forged}/stamp-author` }),
    );
    expect(new Set((await Promise.all(strangers)).map(({ status }) => status))).toEqual(
      new Set([401]),
    );
    real.write(body);
    expect((await answered).toString()).toMatch(/^HTTP\/1\.1 200 /);
    real.destroy();
  });
});

describe('the record of a review', () => {
  it('is made after the answer, of what was decided (admission-3)', async () => {
    const recorder = memoryRecorder();
    served = await serveAdmissions({ admissions: [stampAuthor], recorder });
    await call('/stamp-author', reviewBody());
    await expect.poll(() => recorder.records).toHaveLength(1);
    expect(recorder.records[0]).toMatchObject({
      admission: 'stamp-author',
      answered: true,
      version: 'test',
      decision: { allowed: true, patch: [{ op: 'add', path: '/metadata/annotations' }] },
    });
  });

  it('is not made of a dry run', async () => {
    const recorder = memoryRecorder();
    served = await serveAdmissions({ admissions: [stampAuthor], recorder });
    await call('/stamp-author', reviewBody({ dryRun: true, uid: 'dry' }));
    await call('/stamp-author', reviewBody({ uid: 'real' }));
    await expect.poll(() => recorder.records.map(({ review }) => review.uid)).toEqual(['real']);
  });

  it('that is not stored delays and fails no review (admission-3)', async () => {
    const asked: string[] = [];
    const record = ({ review }: ReviewRecord) => {
      asked.push(review.uid);
      return new Promise<never>(() => undefined);
    };
    const limits = { drainMs: 10 };
    served = await serveAdmissions({ admissions: [stampAuthor], recorder: { record }, limits });
    for (const uid of ['a', 'b', 'c']) {
      expect(await call('/stamp-author', reviewBody({ uid }))).toMatchObject({ status: 200 });
    }
    await expect.poll(() => asked).toEqual(['a', 'b', 'c']);
  });
});

describe('a connection', () => {
  it('stays open over a new certificate, which serves the next one (admission-5)', async () => {
    served = await serveAdmissions({ admissions: [stampAuthor] });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const opened: TLSSocket[] = [];
    const over = async () => {
      const answer = call('/stamp-author', reviewBody(), { agent });
      await answer;
      opened.push(...Object.values(agent.freeSockets).flatMap((all) => all as TLSSocket[]));
      return answer;
    };
    await over();
    const next = newPair();
    await served.folder.swap(next);
    await served.certificate.reread();
    expect(await over()).toMatchObject({ status: 200 });
    expect(opened).toHaveLength(2);
    expect(opened[1]).toBe(opened[0]);
    await expect(call('/stamp-author', reviewBody())).rejects.toThrow('self-signed');
    expect(await call('/stamp-author', reviewBody(), { ca: next.cert })).toMatchObject({
      status: 200,
    });
    agent.destroy();
  });

  it('that never shakes hands gives way to reviews', async () => {
    served = await serveAdmissions({ admissions: [stampAuthor], limits: { maxConnections: 2 } });
    const { port } = new URL(served.url);
    const silent = connectPlain(Number(port), '127.0.0.1');
    silent.on('error', () => undefined);
    const gone = new Promise((resolve) => silent.once('close', resolve));
    await new Promise((resolve) => silent.once('connect', resolve));
    const agent = new Agent({ keepAlive: true });
    expect((await call('/stamp-author', reviewBody(), { agent })).status).toBe(200);
    expect((await call('/stamp-author', reviewBody())).status).toBe(200);
    await gone;
    agent.destroy();
  });
});

describe('while draining', () => {
  it('is not ready and takes no more, and ends what is under way (admission-4)', async () => {
    const { admission, arrived, release } = waiting();
    served = await serveAdmissions({ admissions: [admission] });
    const first = call('/stamp-author', reviewBody());
    await expect.poll(() => arrived).toHaveLength(1);
    const [late, probe] = [await open(), await open()];
    const drained = served.service.drain();
    expect(await exchange(probe, 'GET /health/readiness HTTP/1.1\r\nhost: x\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 503 .*draining/s,
    );
    expect(
      await exchange(
        late,
        `POST /${testToken}/stamp-author HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`,
      ),
    ).toMatch(/^HTTP\/1\.1 503 .*about to end/s);
    release();
    expect(await first).toMatchObject({ status: 200 });
    await drained;
  });

  it('ends although a client has a connection open on which nothing was ever sent', async () => {
    served = await serveAdmissions({ admissions: [stampAuthor] });
    const unused = await open();
    const closed = new Promise((resolve) => unused.once('close', resolve));
    await served.service.drain();
    await closed;
  });
});

async function open(): Promise<TLSSocket> {
  const { port } = new URL(served!.url);
  const socket = connect({ port: Number(port), host: '127.0.0.1', ca: served!.ca });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  return socket;
}

async function exchange(socket: TLSSocket, text: string): Promise<string> {
  const answer = new Promise<Buffer>((resolve) => socket.once('data', resolve));
  socket.write(text);
  const chunk = await answer;
  socket.destroy();
  return chunk.toString();
}
