import { describe, expect, it } from 'vitest';
import {
  bookmark,
  job,
  jobsPath,
  lists,
  probe,
  until,
  versionAsked,
  watched,
  watches,
  watching,
} from '#test/support/reflector-probe.ts';

describe('a list', () => {
  it('is tried again for as long as the server fails, and the watch follows', async () => {
    const probed = await probe();
    for (const code of [500, 403, 404]) {
      probed.server.once(lists, (exchange) => exchange.status(code));
    }
    probed.server.once(lists, (exchange) => exchange.truncated('{"items":['));
    await watching(probed);
    expect(probed.delivered).toEqual(['changed a@5']);
    expect(probed.failures.map((failure) => failure.failures)).toEqual([1, 2, 3]);
    expect(probed.states).toEqual([
      ...['listing', 'stale', 'listing', 'stale', 'listing', 'stale'],
      ...['listing', 'synced', 'watching'],
    ]);
  });

  it('waits as long as the server asks in Retry-After', async () => {
    const probed = await probe();
    probed.server.once(lists, (exchange) =>
      exchange.status(429, { reason: 'TooManyRequests', headers: { 'retry-after': '1' } }),
    );
    const started = performance.now();
    await watching(probed);
    expect(performance.now() - started).toBeGreaterThan(950);
  });

  it('is given up when a page does not come, and tried again', async () => {
    const probed = await probe({ times: { pageTimeoutMs: 50 } });
    probed.server.once(lists, (exchange) => exchange.hang());
    await watching(probed);
    expect(probed.failures).toMatchObject([
      { during: 'list', error: { code: 'MR_API_UNREACHABLE' } },
    ]);
  });

  it('shows an object deleted and created anew as a deletion and then a change', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    probed.server.once(watches, (exchange) => exchange.status(410));
    stream.end();
    (await probed.server.next(lists)).list({
      items: [job('a', '60', 'another uid')],
      resourceVersion: '70',
    });
    await probed.server.next(watches);
    expect(probed.delivered).toEqual(['changed a@5', 'gone a@5', 'changed a@60']);
    expect(probed.view.get('default', 'a')?.metadata.uid).toBe('another uid');
  });

  it('reports only what it changed', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    probed.server.once(watches, (exchange) => exchange.status(410));
    stream.end();
    (await probed.server.next(lists)).list({ items: [job('a', '5')], resourceVersion: '70' });
    await probed.server.next(watches);
    expect(probed.delivered).toEqual(['changed a@5']);
  });

  it('does not touch the view before its last page is there', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    probed.server.once(watches, (exchange) => exchange.status(410));
    stream.end();
    (await probed.server.next(lists)).list({
      items: [job('b', '60')],
      resourceVersion: '70',
      continue: 'next',
    });
    const secondPage = await probed.server.next(lists);
    expect(probed.view.get('default', 'a')).toBeDefined();
    expect(probed.view.get('default', 'b')).toBeUndefined();
    secondPage.list({ items: [job('c', '61')], resourceVersion: '70' });
    await probed.server.next(watches);
    expect([...probed.view.values()].map((object) => object.metadata.name)).toEqual(['b', 'c']);
  });

  it('older than what is known is refused: nothing is deleted by a server that lags behind', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    stream.event('ADDED', watched('b', '100'));
    probed.server.once(watches, (exchange) => exchange.status(410));
    stream.end();
    (await probed.server.next(lists)).list({ items: [], resourceVersion: '99' });
    (await probed.server.next(lists)).list({
      items: [job('a', '5'), job('b', '100')],
      resourceVersion: '101',
    });
    await probed.server.next(watches);
    expect(probed.delivered).toEqual(['changed a@5', 'changed b@100']);
    expect(probed.reflector.stats.refused).toBe(1);
  });

  it('is made anew after a while of watching, and finds what the watch did not report', async () => {
    const probed = await probe({ times: { relistMs: 150 } });
    const { stream } = await watching(probed);
    (await probed.server.next(lists)).list({
      items: [job('b', '60')],
      resourceVersion: '70',
    });
    await stream.closed;
    expect(versionAsked(await probed.server.next(watches))).toBe('70');
    expect(probed.delivered).toEqual(['changed a@5', 'gone a@5', 'changed b@60']);
    expect(probed.failures).toEqual([]);
    expect(probed.reflector.stats.lists).toBe(2);
  });
});

describe('an event that is no news', () => {
  it('is refused when its version is older than what is known', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    stream.event('MODIFIED', watched('a', '12'));
    stream.event('MODIFIED', watched('a', '11'));
    stream.event('MODIFIED', watched('a', '13'));
    await until(() => expect(probed.delivered).toContain('changed a@13'));
    expect(probed.delivered).toEqual(['changed a@5', 'changed a@12', 'changed a@13']);
    expect(probed.reflector.stats.refused).toBe(1);
  });

  it('compares versions by number, not as text', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    stream.event('MODIFIED', watched('a', '99'));
    stream.event('MODIFIED', watched('a', '100'));
    await until(() => expect(probed.delivered).toContain('changed a@100'));
  });

  it('does not bring a deleted object back', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    stream.event('DELETED', watched('a', '12'));
    stream.event('MODIFIED', watched('a', '11'));
    stream.event('ADDED', watched('b', '13'));
    await until(() => expect(probed.delivered).toContain('changed b@13'));
    expect(probed.delivered).not.toContain('changed a@11');
    expect(probed.view.get('default', 'a')).toBeUndefined();
  });

  it('does not hide what an own write put into the view first (view-2)', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    probed.view.write(watched('b', '11') as never);
    stream.event('ADDED', watched('b', '11'));
    await until(() => expect(probed.delivered).toContain('changed b@11'));
  });
});

describe('start and stop', () => {
  it('does nothing before it is started', async () => {
    const { server, reflector } = await probe();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(server.requests).toEqual([]);
    expect(reflector.stats.state).toBe('stopped');
  });

  it('stops at once, reports no failure and is not revived', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    await probed.stop();
    await stream.closed;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(probed.failures).toEqual([]);
    expect(probed.states.at(-1)).toBe('stopped');
    expect(probed.server.requests).toHaveLength(2);
  });

  it.each(['a list', 'a back-off', 'a delivery that fails'])(
    'stops in the middle of %s',
    async (where) => {
      const long = { initialMs: 60_000, factor: 1, capMs: 60_000 };
      const probed = await probe({ times: { reconnect: long, redeliver: long } }, () => {
        if (where === 'a delivery that fails') throw new Error('not now');
      });
      probed.server.once(lists, (exchange) => {
        if (where === 'a list') exchange.hang();
        else if (where === 'a back-off') exchange.status(500);
        else exchange.list({ items: [job('a', '5')], resourceVersion: '10' });
      });
      probed.start();
      await until(() => expect(probed.server.seen(lists)).toHaveLength(1));
      await new Promise((resolve) => setTimeout(resolve, 30));
      await probed.stop();
      expect(probed.states.at(-1)).toBe('stopped');
      expect(probed.server.requests.map((request) => request.path)).toEqual([jobsPath]);
    },
  );

  it('refuses to run twice at a time', async () => {
    const probed = await probe();
    await watching(probed);
    await expect(probed.reflector.run(new AbortController().signal)).rejects.toThrow('already');
    expect(probed.server.seen(watches)).toHaveLength(1);
  });

  it('lists anew when it is started again, and reports only what is new', async () => {
    const probed = await probe();
    await watching(probed);
    await probed.stop();
    probed.server.once(lists, (exchange) =>
      exchange.list({ items: [job('a', '5'), job('b', '11')], resourceVersion: '12' }),
    );
    probed.start();
    await probed.server.next(watches);
    expect(probed.delivered).toEqual(['changed a@5', 'changed b@11']);
  });

  it('counts lists, reconnects, events and the time of the last one', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    const before = Date.now();
    stream.event('ADDED', watched('b', '11'));
    stream.event('BOOKMARK', bookmark('20'));
    stream.end();
    await probed.server.next(watches);
    expect(probed.reflector.stats).toMatchObject({
      state: 'watching',
      lists: 1,
      reconnects: 1,
      events: 1,
      refused: 0,
      redeliveries: 0,
    });
    expect(probed.reflector.stats.lastEventAtMs).toBeGreaterThanOrEqual(before);
  });
});
