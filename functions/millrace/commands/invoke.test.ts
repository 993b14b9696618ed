/** `millrace invoke` as a process: against a `millrace up`, and against a function with its own listener. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { type ChildMain, startMain } from '#shared/runtime/testing/child-main.ts';
import { newDeliveryKey } from '#test/support/signed-delivery.ts';
import { outputFaults } from '../testing/output-shape.ts';
import { type RunningUp, runningUp } from '../testing/running-up.ts';

// A whole cluster in its own process, on a possibly busy machine.
const slow = 120_000;

let up: RunningUp;
let flow: KubeObject;
beforeAll(async () => {
  up = await runningUp();
  flow = await up.createFlow('etl', {
    load: { sh: 'sleep 600' },
    report: { sh: 'sleep 1', after: ['load'] },
  });
}, slow);
afterAll(() => up[Symbol.asyncDispose]());

const fileOf = async (name: string, content: string): Promise<string> => {
  const file = join(up.cli.stateHome, name);
  await writeFile(file, content);
  return file;
};
const foreign = { specversion: '1.0', id: 'e-1', source: '/example', type: 'org.example.push' };
const dueIn = async (): Promise<string> => {
  const { stdout } = await up.finished(
    ...['invoke', 'flow-advance', 'etl', '--dry-run', '-o', 'json'],
    ...['--url', 'http://127.0.0.1:1', '--key-file', await fileOf('any-key', newDeliveryKey())],
  );
  expect(outputFaults('invoke')(JSON.parse(stdout))).toEqual([]);
  return textOf(fieldsOf(JSON.parse(stdout))['body']);
};

describe('to a `millrace up`', () => {
  test('an object that is due is decided', { timeout: slow }, async () => {
    const { code, stdout } = await up.finished('invoke', 'flow-advance', 'jobflow/etl');
    expect(stdout).toMatch(
      /^flow-advance JobFlow\/default\/etl \(event \S+\) (done|requeued in \S+ s)\n$/,
    );
    expect(code).toBe(0);
  });

  test('a child has its controller decided', { timeout: slow }, async () => {
    const { code, stdout } = await up.finished(
      'invoke',
      'flow-advance',
      'job/etl-load',
      '-o',
      'json',
    );
    expect(outputFaults('invoke')(JSON.parse(stdout))).toEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({
      function: 'flow-advance',
      object: { kind: 'JobFlow', namespace: 'default', name: 'etl', uid: flow.metadata.uid },
      // Within a second of the creation of its Job, the result is a requeue.
      verdict: expect.stringMatching(/^(done|requeued)$/) as unknown,
    });
    expect(code).toBe(0);
  });

  test('when it will be looked at again is said', { timeout: slow }, async () => {
    await up.client.create(resources.SuspendPolicy, {
      apiVersion: 'millrace.dev/v1alpha1',
      kind: 'SuspendPolicy',
      metadata: { name: 'nights', namespace: 'default' },
      spec: {
        schedule: {
          timeZone: 'Europe/Berlin',
          windows: [{ name: 'night', open: '0 20 * * 1-5', close: '0 6 * * 2-6' }],
        },
      },
    });
    const { code, stdout } = await up.finished('invoke', 'suspend-schedule', 'nights');
    expect(stdout).toMatch(
      /^suspend-schedule SuspendPolicy\/default\/nights .* requeued in \d+(\.\d)? s\n$/,
    );
    expect(code).toBe(0);
  });

  test('an event of another type is refused, with what to do', { timeout: slow }, async () => {
    const file = await fileOf('foreign.json', JSON.stringify(foreign));
    const { code, stdout, stderr } = await up.finished('invoke', 'flow-advance', '--event', file);
    expect(stdout).toBe(
      'flow-advance (event e-1) refused: 422: flow-advance does not take events of type org.example.push\n',
    );
    expect([code, stderr]).toEqual([
      5,
      'next: subscribe the function only to the types that its documentation lists\n',
    ]);
  });

  test(
    'a dry run prints the request, without what proves the caller',
    { timeout: slow },
    async () => {
      const { code, stdout } = await up.finished('invoke', 'flow-advance', 'etl', '--dry-run');
      const [head = '', body = ''] = stdout.split('\n\n');
      const [request, ...headers] = head.split('\n');
      expect(request).toMatch(/^POST http:\/\/127\.0\.0\.1:\d+\/functions\/flow-advance$/);
      expect(headers).toContain('ce-type: dev.millrace.jobflow.due.v1');
      expect(headers).toContain(`ce-uid: ${flow.metadata.uid}`);
      expect(headers).toContain('authorization: (from the kubeconfig)');
      expect(JSON.parse(body)).toMatchObject({ kind: 'JobFlow', name: 'etl' });
      expect(code).toBe(0);
    },
  );
});

describe('to a function that listens', () => {
  let main: ChildMain;
  let key: string;
  beforeAll(async () => {
    key = await fileOf('delivery-key', newDeliveryKey());
    main = startMain(join(import.meta.dirname, '../../flow-advance/main.ts'), {
      ...{ KUBECONFIG: up.kubeconfig, PORT: '0', MILLRACE_HOST: '127.0.0.1' },
      ...{ MILLRACE_TRUST_NAMESPACES: 'true', MILLRACE_DELIVERY_KEY_FILE: key },
    });
    await main.url;
  }, slow);
  afterAll(async () => {
    main.kill('SIGKILL');
    await main.exit;
  });
  const invoke = async (...args: readonly string[]) =>
    up.finished('invoke', 'flow-advance', '--url', await main.url, ...args);

  test('a signed event is taken, composed or given', { timeout: slow }, async () => {
    const file = await fileOf('due.json', await dueIn());
    for (const what of [['jobflow/etl'], ['--event', file]]) {
      const { code, stdout } = await invoke(...what, '--key-file', key);
      expect(stdout).toMatch(/^flow-advance .*\(event \S+\) (done|requeued in \S+ s)\n$/);
      expect(code).toBe(0);
    }
  });

  test('an event without signature is refused', { timeout: slow }, async () => {
    const { code, stdout } = await invoke('etl', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'refused',
      detail: expect.stringMatching(/^401: .*it has no webhook-id/) as string,
    });
    expect(code).toBe(5);
  });

  test('an event that is none is for the function to refuse', { timeout: slow }, async () => {
    const file = await fileOf('broken.json', '{"id":"e-2"}');
    const { code, stdout } = await invoke('--event', file, '--key-file', key);
    expect(stdout).toContain('refused: 400: not a valid CloudEvent: specversion is missing');
    expect(code).toBe(5);
  });
});

describe('what cannot be sent', () => {
  test.each<[number, string, readonly string[]]>([
    [2, 'there is no function flow-adv\nnext: use one of flow-advance', ['flow-adv', 'etl']],
    [2, 'nothing is named that the event is about\nnext: millrace invoke', ['flow-advance']],
    [2, '--key-file is without --url', ['flow-advance', 'etl', '--key-file', 'key']],
    [2, 'both etl and the event of --event', ['flow-advance', 'etl', '--event', 'event.json']],
    [2, 'it is http://HOST:PORT or', ['flow-advance', 'etl', '--url', 'redis://h:1']],
    [4, 'no JobFlow is called elt in the namespace default', ['flow-advance', 'jobflow/elt']],
    [5, '/nowhere/event.json does not exist', ['flow-advance', '--event', '/nowhere/event.json']],
    [8, 'next: check --url, and that', ['flow-advance', 'etl', '--url', 'http://127.0.0.1:1']],
  ])('ends with %i: %s', { timeout: slow }, async (wanted, words, args) => {
    const { code, stderr } = await up.finished('invoke', ...args);
    expect(stderr).toContain(words);
    expect(code).toBe(wanted);
  });

  test('a Job without an owner leads to nothing', { timeout: slow }, async () => {
    await up.client.create(resources.Job, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'alone', namespace: 'default' },
      spec: {
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] },
        },
      },
    });
    const { code, stderr } = await up.finished('invoke', 'flow-advance', 'job/alone');
    expect(stderr).toBe(
      'error: job/alone is none of the objects of flow-advance: no JobFlow controls it\nnext: name a JobFlow\n',
    );
    expect(code).toBe(5);
  });

  test('an event without id cannot be signed', { timeout: slow }, async () => {
    const [file, key] = [await fileOf('no-id.json', '{}'), await fileOf('key', newDeliveryKey())];
    const options = ['--event', file, '--url', 'http://127.0.0.1:1', '--key-file', key];
    const { code, stderr } = await up.finished('invoke', 'flow-advance', ...options);
    expect(stderr).toContain('is no event with an id, which a signature covers');
    expect(code).toBe(5);
  });
});
