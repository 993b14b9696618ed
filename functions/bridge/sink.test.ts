import { HTTP, type CloudEvent as SdkEvent } from 'cloudevents';
import { expect, it, onTestFinished, vi } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import { subscriptions } from '#functions/list.ts';
import { createOwnCertificate } from '#shared/domain/own-certificate.ts';
import { asEventId, asUid } from '#shared/domain/objects.ts';
import { flow } from '#shared/domain/testing/objects.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { workItemOf } from '#shared/runtime/function/event-work.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { createStoredCluster } from '#shared/runtime/testing/stored-cluster.ts';
import { concurrentEvents } from './event-post.ts';
import { createSink, type Sink, type SinkOptions } from './sink.ts';
import { listeningSink, type ReceivedEvent } from './testing/listening-sink.ts';
import { publisherOver, stores, watched } from './testing/stores.ts';

const subscription = subscriptions.find(({ name }) => name === 'flow-advance')!;
const decided = new Map(subscriptions.map(({ name, decides }) => [name, decides]));

function itemFor(name: string, overrides: Partial<WorkItem> = {}): WorkItem {
  const apiVersion = 'api.practice.com/v1alpha1';
  return {
    function: 'flow-advance',
    key: { apiVersion, kind: 'JobFlow', namespace: 'default', name, uid: asUid(`u-${name}`) },
    cause: asEventId(`u-${name}.1`),
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    ...overrides,
  };
}

function openSinkAt(url: URL, options: Partial<SinkOptions> = {}) {
  const logged: string[] = [];
  const log = ({ err }: { readonly err?: Error }, message: string) =>
    void logged.push(err === undefined ? message : `${message}: ${err.message}`);
  const logger = { info: log, warn: log } as unknown as SinkOptions['logger'];
  const sink: Sink = createSink({
    ...{ url, extensions: {}, decided, logger, clock: systemClock, againAfterMs: [1] },
    ...options,
  });
  return { sink, logged };
}

/** A sink that is closed at the end of the test. */
function sinkAt(url: URL, options?: Partial<SinkOptions>) {
  const opened = openSinkAt(url, options);
  onTestFinished(() => opened.sink.close());
  return opened;
}

const idsOf = (received: readonly ReceivedEvent[]) => received.map(({ event }) => event.id);

it('an item is posted as a binary CloudEvent, which the official SDK reads and the function accepts as the item', async () => {
  const { url, received } = await listeningSink(() => 202);
  const item = itemFor('a');
  await sinkAt(url).sink.add([item]);
  const [{ event, request, body }] = received as [ReceivedEvent];
  expect([request.method, request.url]).toEqual(['POST', '/millrace/millrace']);
  const read = HTTP.toEvent({ headers: request.headers, body }) as SdkEvent<unknown>;
  expect(read).toMatchObject({
    specversion: '1.0',
    type: 'dev.millrace.jobflow.due.v1',
    source: '/millrace/bridge/flow-advance',
    subject: '/apis/api.practice.com/v1alpha1/namespaces/default/jobflows/a',
    causationid: 'u-a.1',
    data: { kind: 'JobFlow', name: 'a', uid: 'u-a' },
  });
  const { reader } = createStoredCluster();
  expect(await workItemOf(event, { subscription, reader })).toEqual(item);
});

it.each([200, 202, 204])('an item is accepted with the status %i', async (status) => {
  const { url } = await listeningSink(() => status);
  await sinkAt(url).sink.add([itemFor('a')]);
});

it.each([302, 400, 401, 404, 409, 413, 429, 500, 503])(
  'an item that is answered with %i is sent again, under the same id, and delays no other item (sink-3, sink-4)',
  async (status) => {
    const answers = [status];
    const { url, received } = await listeningSink(({ event }) =>
      event.extensions['name'] === 'a' ? (answers.shift() ?? 202) : 202,
    );
    const { sink, logged } = sinkAt(url);
    await sink.add([itemFor('a'), itemFor('b')]);
    await vi.waitFor(() => expect(received).toHaveLength(3));
    const nameOf = ({ event }: ReceivedEvent) => event.extensions['name'];
    expect(received.map(nameOf).toSorted()).toEqual(['a', 'a', 'b']);
    const [first, again] = received.filter((each) => nameOf(each) === 'a');
    expect(again?.event.id).toBe(first?.event.id);
    await vi.waitFor(() =>
      expect(logged).toEqual([
        `the sink refuses an event: the sink at ${url.href} did not take an event: it answered ${status}`,
        'the sink has taken what it refused',
      ]),
    );
  },
);

it('an item that is not answered in time is sent again', async () => {
  const answers = ['never'] as const;
  let asked = 0;
  const { url, received } = await listeningSink(() => answers[asked++] ?? 202);
  const { sink, logged } = sinkAt(url, { timeoutMs: 50 });
  await sink.add([itemFor('a')]);
  await vi.waitFor(() => expect(received).toHaveLength(2));
  expect(logged[0]).toContain('no answer within 50 ms');
});

it('a sink that does not exist accepts nothing', async () => {
  const url = new URL('http://127.0.0.1:1/');
  await expect(sinkAt(url).sink.add([itemFor('a')])).rejects.toMatchObject({
    code: 'MR_SINK_UNAVAILABLE',
    message: expect.stringContaining('ECONNREFUSED') as string,
  });
});

it('a change whose item the sink did not accept is sent again, under the same id (sink-3)', async () => {
  const answers = ['gone', 202] as const;
  let asked = 0;
  const { url, received } = await listeningSink(() => answers[asked++] ?? 202);
  const taken = stores();
  const { publisher } = publisherOver({ ...taken, queue: sinkAt(url).sink });
  const changes = [{ type: 'changed', object: flow({ uid: 'u', version: '7' }) }] as const;
  await expect(publisher.publish(watched('JobFlow'), changes)).rejects.toMatchObject({
    code: 'MR_SINK_UNAVAILABLE',
  });
  await publisher.publish(watched('JobFlow'), changes);
  await publisher.publish(watched('JobFlow'), changes);
  const [first, ...more] = idsOf(received);
  expect(first).toMatch(/\.u\.7$/);
  expect([...new Set(more)]).toEqual([first]);
  expect(await taken.recorded()).toEqual(['u.7']);
});

it('a sweep is no repetition for a broker that drops those, and leads back to the same change', async () => {
  const { url, received } = await listeningSink(() => 202);
  const { publisher } = publisherOver({ ...stores(), queue: sinkAt(url).sink });
  const object = flow({ uid: 'u', version: '7' });
  await publisher.publish(watched('JobFlow'), [{ type: 'changed', object }]);
  await publisher.wake(subscription, { resource: resources.JobFlow, leadsTo: 'self' }, [object]);
  const ofFlow = received.filter(({ event }) => event.source.endsWith('/flow-advance'));
  expect(new Set(idsOf(ofFlow)).size).toBe(2);
  expect(ofFlow.map(({ event }) => event.extensions['causationid'])).toEqual(['u.7', 'u.7']);
});

it('every event has the extensions that the source is configured to add', async () => {
  const { url, received } = await listeningSink(() => 202);
  const extensions = { team: 'batch und mehr', cluster: 'eu1' };
  await sinkAt(url, { extensions }).sink.add([itemFor('a'), itemFor('b')]);
  for (const { event } of received) {
    expect(event.extensions).toMatchObject({ ...extensions, kind: 'JobFlow' });
  }
  expect(received).toHaveLength(2);
});

it('items of one object follow one another, those of others do not wait for it (sink-2)', async () => {
  const answered: string[] = [];
  const other = Promise.withResolvers<undefined>();
  const { url } = await listeningSink(async ({ event }) => {
    const cause = event.extensions['causationid'] ?? '';
    if (cause === 'slow.1') await other.promise;
    answered.push(cause);
    if (cause === 'u-b.1') other.resolve(undefined);
    return 202;
  });
  const causes = ['slow.1', 'slow.2', 'slow.3'].map((cause) =>
    itemFor('a', { cause: asEventId(cause) }),
  );
  await sinkAt(url).sink.add([...causes, itemFor('b')]);
  expect(answered).toEqual(['u-b.1', 'slow.1', 'slow.2', 'slow.3']);
});

it('the number of events under way is limited, however many calls there are', async () => {
  let underWay = 0;
  let most = 0;
  const full = Promise.withResolvers<undefined>();
  const { url, received } = await listeningSink(async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    // Another one would be sent within this time.
    if (underWay === concurrentEvents) setTimeout(full.resolve, 50, undefined);
    await full.promise;
    underWay -= 1;
    return 202;
  });
  const { sink } = sinkAt(url);
  const many = (prefix: string) => Array.from({ length: 60 }, (_, at) => itemFor(`${prefix}${at}`));
  await Promise.all([sink.add(many('a')), sink.add(many('b'))]);
  expect(received).toHaveLength(120);
  expect(most).toBe(concurrentEvents);
});

it('a source reaches a sink with a certificate of its own authority, and no other sink', async () => {
  const pair = createOwnCertificate(Date.now());
  const { url, received } = await listeningSink(() => 202, pair);
  await expect(sinkAt(url).sink.add([itemFor('a')])).rejects.toThrow('self-signed certificate');
  await sinkAt(url, { authorities: pair.cert }).sink.add([itemFor('a')]);
  expect(received).toHaveLength(1);
});

it('a closed sink sends nothing more: neither refused items nor added ones', async () => {
  const { url, received } = await listeningSink(() => 503);
  const clock = virtualClock();
  const { sink } = openSinkAt(url, { clock });
  await sink.add([itemFor('a')]);
  expect(clock.sleepers()).toBe(1);
  await sink.close();
  expect(clock.sleepers()).toBe(0);
  await expect(sink.add([itemFor('b')])).rejects.toMatchObject({ code: 'MR_SINK_UNAVAILABLE' });
  expect(received).toHaveLength(1);
});

it('the log says once that the sink accepts no events, and once that it accepts them again', async () => {
  const answers = ['gone', 'gone', 202, 202] as const;
  let asked = 0;
  const { url } = await listeningSink(() => answers[asked++] ?? 202);
  const { sink, logged } = sinkAt(url);
  const linesByRound: (readonly string[])[] = [];
  for (let sent = 0; sent < 4; sent += 1) {
    await sink.add([itemFor('a')]).catch(() => undefined);
    linesByRound.push(logged.splice(0).map((line) => line.split(':')[0] ?? ''));
  }
  expect(linesByRound).toEqual([
    ['the sink takes no events'],
    [],
    ['the sink takes events again'],
    [],
  ]);
});
