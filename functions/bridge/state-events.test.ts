import { HTTP, type CloudEvent as SdkEvent } from 'cloudevents';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { JobFlowStatus } from '#shared/api/job-flow.ts';
import { jobFlowKind } from '#shared/api/job-flow.ts';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import type { KubeClient, WatchEvent } from '#shared/kube/client.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { createEventPost } from './event-post.ts';
import { StateEvents, type StateEventsOptions } from './state-events.ts';
import { type Answer, listeningSink, type ReceivedEvent } from './testing/listening-sink.ts';

const at = (second: number) => `2026-11-21T10:00:0${second}Z`;

function flowIn(
  status: JobFlowStatus,
  { name = 'etl', version = '7' }: { readonly name?: string; readonly version?: string } = {},
): KubeObject {
  return {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobFlow',
    metadata: {
      ...{ name, namespace: 'team-a', uid: asUid(`u-${name}`) },
      resourceVersion: asResourceVersion(version),
    },
    spec: { flows: [{ name: 'load' }] },
    status,
  };
}

const progressing = (status: 'True' | 'False', second: number) => ({
  ...{ type: 'Progressing', status, reason: 'Running', message: '' },
  lastTransitionTime: at(second),
});
const running: JobFlowStatus = {
  state: 'Running',
  message: 'load runs',
  conditions: [progressing('True', 1)],
  jobStatusList: [{ name: 'load', state: 'Running', startTime: at(1) }],
};
const succeeded: JobFlowStatus = {
  state: 'Succeed',
  conditions: [progressing('False', 5)],
  jobStatusList: [{ name: 'load', state: 'Succeed', startTime: at(1), completionTime: at(4) }],
};

/** An API server with these flows. The test decides what its watch sends. */
function served(...items: readonly KubeObject[]) {
  const lines: WatchEvent[] = [];
  const client = {
    list: () => Promise.resolve({ resourceVersion: asResourceVersion('9'), items }),
    watch: async function* (_, { signal }) {
      while (!signal.aborted) {
        const line = lines.shift();
        if (line === undefined) await systemClock.sleep(5, signal);
        else yield line;
      }
    },
  } satisfies Pick<KubeClient, 'list' | 'watch'> as unknown as KubeClient;
  return { client, report: (...more: readonly WatchEvent[]) => void lines.push(...more) };
}

async function sending(answer: Answer, ...flows: readonly KubeObject[]) {
  const { url, received } = await listeningSink(answer);
  const { client, report } = served(...flows);
  const logged: string[] = [];
  const log = (_: object, message: string) => void logged.push(message);
  const metrics = new Registry();
  const post = createEventPost({ url, extensions: { team: 'batch' }, timeoutMs: 200 });
  const events = new StateEvents({
    ...{ kinds: [jobFlowKind], post, client, metrics, clusterUid: 'c1' },
    logger: { info: log, warn: log, debug: log } as unknown as StateEventsOptions['logger'],
    ...{ clock: systemClock, random: () => 0.5 },
    times: { redeliver: { initialMs: 5, factor: 1, capMs: 5 } },
  });
  const stop = new AbortController();
  const ended = events.run(stop.signal);
  const end = async () => {
    stop.abort();
    await ended;
  };
  onTestFinished(async () => {
    await end();
    await post.close();
  });
  return { received, report, logged, metrics, end };
}

const asSdkEvent = ({ request, body }: ReceivedEvent) =>
  HTTP.toEvent({ headers: request.headers, body }) as SdkEvent<Readonly<Record<string, unknown>>>;
const typesOf = (received: readonly ReceivedEvent[]) =>
  received.map((each) => asSdkEvent(each).type.replace(/^dev\.millrace\.jobflow\.|\.v1$/g, ''));
const idsOf = (received: readonly ReceivedEvent[]) => received.map(({ event }) => event.id);

it('the states of a flow and of its steps are sent as binary CloudEvents that the official SDK reads', async () => {
  const { received } = await sending(() => 202, flowIn(running));
  await vi.waitFor(() => expect(received).toHaveLength(2));
  const [flow, step] = received.map(asSdkEvent);
  expect(flow).toMatchObject({
    ...{
      specversion: '1.0',
      type: 'dev.millrace.jobflow.running.v1',
      time: '2026-11-21T10:00:01.000Z',
    },
    source: '/millrace/c1/api.practice.com/v1alpha1/jobflows',
    subject: '/apis/api.practice.com/v1alpha1/namespaces/team-a/jobflows/etl',
    ...{ kind: 'JobFlow', name: 'etl', namespace: 'team-a', uid: 'u-etl', team: 'batch' },
    data: { kind: 'JobFlow', name: 'etl', uid: 'u-etl', state: 'Running', message: 'load runs' },
  });
  expect(flow?.['step']).toBeUndefined();
  expect(step).toMatchObject({
    ...{ type: 'dev.millrace.jobflow.step.running.v1', step: 'load' },
    data: { step: 'load', state: 'Running', startTime: at(1) },
  });
});

it('each change of an object is sent once, in order, and its deletion after its states (state-event-2)', async () => {
  const { received, report } = await sending(() => 202, flowIn(running));
  const last = flowIn(succeeded, { version: '12' });
  report(
    { type: 'MODIFIED', object: flowIn({ ...running, progress: '0/1' }, { version: '10' }) },
    { type: 'MODIFIED', object: flowIn(succeeded, { version: '11' }) },
    { type: 'DELETED', object: last },
  );
  await vi.waitFor(() => expect(received).toHaveLength(5));
  expect(typesOf(received)).toEqual([
    ...['running', 'step.running', 'succeed', 'step.succeed', 'deleted'],
  ]);
  expect(received.at(-1)?.event.id).toBe('u-etl.12.deleted');
});

it('a bridge that starts sends the states that it finds under the same ids, with the same bytes (state-event-1)', async () => {
  const before = await sending(() => 202, flowIn(running));
  const after = await sending(() => 202, flowIn(running, { version: '8' }));
  await vi.waitFor(() => expect([...before.received, ...after.received]).toHaveLength(4));
  expect(idsOf(after.received)).toEqual(idsOf(before.received));
  expect(new Set(idsOf(after.received)).size).toBe(2);
  expect(after.received.map(({ body }) => body)).toEqual(before.received.map(({ body }) => body));
});

it.each(['gone', 'never', 503, 404] as const)(
  'events wait for a sink that answers %s, and follow without repeating accepted ones (state-event-3)',
  async (failure) => {
    let away = true;
    const { received, logged, metrics } = await sending(
      ({ event }) => (away && event.type.includes('.step.') ? failure : 202),
      flowIn(running),
    );
    await vi.waitFor(() => expect(received.length).toBeGreaterThan(2));
    expect(logged).toEqual(['the sink of state events takes none; they wait']);
    expect(await metrics.metrics()).toMatch(/^millrace_state_events_behind_seconds 0\.\d+$/m);
    away = false;
    await vi.waitFor(() => expect(logged.at(-1)).toBe('the sink of state events takes them again'));
    expect(typesOf(received).filter((type) => type === 'running')).toHaveLength(1);
    const text = await metrics.metrics();
    expect(text).toContain('millrace_state_events_behind_seconds 0\n');
    expect(text).toContain('millrace_state_events_total{kind="JobFlow",outcome="taken"} 2');
  },
);

it('changes while the sink is away are sent as the state at its return (state-event-3)', async () => {
  let away = true;
  const { received, report } = await sending(() => (away ? 503 : 202), flowIn(running));
  await vi.waitFor(() => expect(received.length).toBeGreaterThan(0));
  report({ type: 'MODIFIED', object: flowIn(succeeded, { version: '11' }) });
  away = false;
  await vi.waitFor(() => expect(typesOf(received).at(-1)).toBe('step.succeed'));
});

it.each([400, 413, 415, 422])(
  'an event that the sink calls invalid with %i is dropped, counted and logged, and the others continue (state-event-4)',
  async (status) => {
    const { received, logged, metrics } = await sending(
      ({ event }) => (event.extensions['step'] === undefined ? status : 202),
      flowIn(running),
    );
    await vi.waitFor(() => expect(typesOf(received)).toEqual(['running', 'step.running']));
    await vi.waitFor(async () =>
      expect(await metrics.metrics()).toContain('{kind="JobFlow",outcome="refused"} 1'),
    );
    expect(logged).toEqual(['the sink of state events calls an event wrong; it is dropped']);
  },
);

it('the events of one flow do not wait for those of another (state-event-2)', async () => {
  const held = Promise.withResolvers<number>();
  const { received } = await sending(
    ({ event }) => (event.extensions['name'] === 'a' ? held.promise : 202),
    ...[flowIn(running, { name: 'a' }), flowIn(running, { name: 'b' })],
  );
  await vi.waitFor(() =>
    expect(received.map(({ event }) => event.extensions['name'])).toEqual(['a', 'b', 'b']),
  );
  held.resolve(202);
});

it('the bridge ends at once, even while the sink does not answer', async () => {
  const { received, end } = await sending(() => 'never', flowIn(running));
  await vi.waitFor(() => expect(received).toHaveLength(1));
  await end();
});
