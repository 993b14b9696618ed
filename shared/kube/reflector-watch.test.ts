import { describe, expect, it } from 'vitest';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import {
  bookmark,
  job,
  lists,
  probe,
  type Probe,
  until,
  versionAsked,
  watched,
  watches,
  watching,
} from '#test/support/reflector-probe.ts';
import { watchOnce, type WatchRun } from './reflector-watch.ts';

/** Longer than each pause between watches that a test waits for, and shorter than every other sleep. */
const pauseCapMs = 1_000;

/** Records the pauses and sleeps them. No watch is old enough to be followed at once. */
function recordingPauses() {
  const pauses: number[] = [];
  const sleep: typeof systemClock.sleep = (ms, signal) => {
    if (ms <= pauseCapMs) pauses.push(ms);
    return systemClock.sleep(ms, signal);
  };
  return { pauses, clock: { ...systemClock, monotonicMs: () => 0, sleep } };
}

describe('what is asked', () => {
  it('lists in pages of 500 and watches from the version of the list, with bookmarks and an end', async () => {
    const probed = await probe();
    const { exchange } = await watching(probed);
    const [list] = probed.server.seen(lists);
    expect(list?.query.get('limit')).toBe('500');
    expect(list?.query.get('resourceVersion')).toBeNull();
    expect(versionAsked(exchange)).toBe('10');
    expect(exchange.request.query.get('allowWatchBookmarks')).toBe('true');
    expect(exchange.request.query.get('timeoutSeconds')).toBe('450');
  });

  it('spreads the end of a watch over 300 to 600 seconds', async () => {
    const seconds = [];
    for (const random of [0, 0.999]) {
      const { exchange } = await watching(await probe({ random: () => random }));
      seconds.push(exchange.request.query.get('timeoutSeconds'));
    }
    expect(seconds).toEqual(['300', '600']);
  });

  it('asks only for its namespace and its labels, in list and watch', async () => {
    const path = '/apis/batch/v1/namespaces/team/jobs';
    const { server, start } = await probe({ namespace: 'team', labelSelector: 'app' });
    server.once({ path, watch: false }, (exchange) =>
      exchange.list({ items: [], resourceVersion: '1' }),
    );
    start();
    await server.next({ path, watch: true });
    expect(server.requests.map((request) => request.query.get('labelSelector'))).toEqual([
      'app',
      'app',
    ]);
  });

  it('watches what it has listed, although more is wanted by then', async () => {
    let labelSelector: string | undefined = 'app';
    const { server, start } = await probe({ labelSelector: () => labelSelector });
    server.once(lists, (exchange) => {
      labelSelector = undefined;
      exchange.list({ items: [], resourceVersion: '1' });
    });
    start();
    const { request } = await server.next(watches);
    expect(request.query.get('labelSelector')).toBe('app');
  });

  it('follows the pages of a list to its end', async () => {
    const { server, start, delivered } = await probe({ times: { pageLimit: 1 } });
    server.once(lists, (exchange) =>
      exchange.list({ items: [job('a', '1')], resourceVersion: '10', continue: 'next' }),
    );
    server.once(lists, (exchange) =>
      exchange.list({ items: [job('b', '2')], resourceVersion: '10' }),
    );
    start();
    await server.next(watches);
    expect(server.seen(lists)[1]?.query.get('continue')).toBe('next');
    expect(delivered).toEqual(['changed a@1', 'changed b@2']);
  });
});

describe('a watch that goes on', () => {
  it('delivers what is added, modified and deleted', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    stream.event('ADDED', watched('b', '11'));
    stream.event('MODIFIED', watched('b', '12'));
    stream.event('DELETED', watched('b', '13'));
    await until(() => expect(probed.delivered).toHaveLength(4));
    expect(probed.delivered).toEqual([
      'changed a@5',
      'changed b@11',
      'changed b@12',
      'deleted b@13',
    ]);
    expect(probed.view.get('default', 'b')).toBeUndefined();
  });

  it('has the view up to date before it delivers', async () => {
    const seen: unknown[] = [];
    const probed = await probe({}, (changes) => {
      for (const { object } of changes) seen.push(probed.view.get('default', object.metadata.name));
    });
    const { stream } = await watching(probed);
    stream.event('ADDED', watched('b', '11'));
    await until(() => expect(seen).toHaveLength(2));
    expect(seen).toMatchObject([
      { metadata: { resourceVersion: '5' } },
      { metadata: { resourceVersion: '11' } },
    ]);
  });

  it('resumes after the ordinary end at the version of the last event', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    stream.event('ADDED', watched('b', '11'));
    stream.end();
    expect(versionAsked(await probed.server.next(watches))).toBe('11');
    expect(probed.server.seen(lists)).toHaveLength(1);
    expect(probed.failures).toEqual([]);
  });

  it('resumes at the version of a bookmark when nothing else came', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    stream.event('BOOKMARK', bookmark('40'));
    stream.end();
    expect(versionAsked(await probed.server.next(watches))).toBe('40');
    expect(probed.delivered).toEqual(['changed a@5']);
  });

  it('fills in the kind that list items lack, so that lists and watches give one shape', async () => {
    const probed = await probe();
    await watching(probed);
    expect(probed.view.get('default', 'a')).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job' });
  });

  it('keeps neither managedFields nor the copy that kubectl apply leaves', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    const bulky = watched('b', '11');
    stream.event('ADDED', {
      ...bulky,
      metadata: {
        ...bulky.metadata,
        managedFields: [{ manager: 'x' }],
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', mine: 'y' },
      },
    });
    await until(() => expect(probed.delivered).toContain('changed b@11'));
    const kept = probed.view.get('default', 'b')?.metadata;
    expect(kept).not.toHaveProperty('managedFields');
    expect(kept?.annotations).toEqual({ mine: 'y' });
  });
});

describe('a watch that breaks', () => {
  it('is cut off and resumed when it says nothing for the silence limit', async () => {
    const probed = await probe({ times: { silenceMs: 150 } });
    const { stream } = await watching(probed);
    const again = probed.server.next(watches);
    await stream.closed;
    expect(versionAsked(await again)).toBe('10');
    expect(probed.states).toEqual(['listing', 'synced', 'watching', 'stale']);
    expect(probed.server.seen(lists)).toHaveLength(1);
  });

  it('is left alone by the silence limit as long as bookmarks come', async () => {
    const clock = virtualClock();
    const probed = await probe({ clock, times: { silenceMs: 240 } });
    const { stream } = await watching(probed);
    for (let version = 11; version < 20; version += 1) {
      stream.event('BOOKMARK', bookmark(String(version)));
      await until(() => expect(probed.reflector.stats.version).toBe(String(version)));
      await clock.advance(80);
      await clock.advance(80);
    }
    // A watch that was cut off would lose it.
    stream.event('ADDED', watched('b', '20'));
    await until(() => expect(probed.delivered).toContain('changed b@20'));
    expect(probed.server.seen(watches)).toHaveLength(1);
  });

  it('is cut off when the server takes the request and never answers (half-open connection)', async () => {
    const probed = await probe({ times: { silenceMs: 150 } });
    probed.server.once(lists, (exchange) => exchange.list({ items: [], resourceVersion: '10' }));
    probed.server.once(watches, (exchange) => exchange.hang());
    probed.start();
    await until(() => expect(probed.server.seen(watches).length).toBeGreaterThan(1));
    expect(probed.states).toContain('stale');
  });

  it('resumes at the last version after a TCP reset', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    stream.event('ADDED', watched('b', '11'));
    await until(() => expect(probed.delivered).toContain('changed b@11'));
    stream.reset();
    expect(versionAsked(await probed.server.next(watches))).toBe('11');
    expect(probed.server.seen(lists)).toHaveLength(1);
  });

  it.each([
    ['HTTP 500', 500, 'InternalError'],
    ['HTTP 403', 403, 'Forbidden'],
    ['HTTP 503', 503, 'ServiceUnavailable'],
  ])(
    'goes on after %s on the watch, without losing what came meanwhile',
    async (_, code, reason) => {
      const probed = await probe();
      const { stream } = await watching(probed);
      probed.server.once(watches, (exchange) => exchange.status(code, { reason }));
      probed.server.on(lists, (exchange) =>
        exchange.list({ items: [job('a', '5')], resourceVersion: '10' }),
      );
      stream.end();
      probed.server.once(watches, (exchange) =>
        exchange.watch().event('ADDED', watched('b', '11')),
      );
      await until(() => expect(probed.delivered).toContain('changed b@11'));
      expect(probed.failures).toMatchObject([{ during: 'watch' }]);
      expect(probed.states.at(-1)).toBe('watching');
    },
  );

  it('goes on at the same version after an ERROR event other than 410', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    stream.event('ERROR', { kind: 'Status', code: 500, reason: 'InternalError', message: 'x' });
    expect(versionAsked(await probed.server.next(watches))).toBe('10');
    expect(probed.failures).toMatchObject([{ during: 'watch' }]);
  });

  it('loses no event to a line that does not parse: it is read again', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    stream.event('ADDED', watched('b', '11'));
    stream.raw('{"type":"ADDED","object":{"meta\n');
    const again = await probed.server.next(watches);
    expect(versionAsked(again)).toBe('11');
    again.watch().event('ADDED', watched('c', '12'));
    await until(() => expect(probed.delivered).toContain('changed c@12'));
  });

  it('loses no event to a stream that ends within a line', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    stream.raw('{"type":"ADDED","object":{"metadata":{"name":"b"');
    stream.end();
    const again = await probed.server.next(watches);
    expect(versionAsked(again)).toBe('10');
    expect(probed.failures).toMatchObject([{ during: 'watch' }]);
  });

  it('does not hammer a server that closes every watch at once', async () => {
    const { pauses, clock } = recordingPauses();
    const probed = await probe({
      ...{ clock, random: () => 0 },
      times: { reconnect: { initialMs: 40, factor: 2, capMs: pauseCapMs } },
    });
    probed.server.once(lists, (exchange) => exchange.list({ items: [], resourceVersion: '10' }));
    probed.server.on(watches, (exchange) => exchange.watch().end());
    probed.start();
    await until(() => expect(probed.server.seen(watches).length).toBeGreaterThanOrEqual(4));
    // Each watch but the first one comes after a pause.
    expect(probed.server.seen(watches).length).toBeLessThanOrEqual(pauses.length + 1);
    expect(pauses.slice(0, 3)).toEqual([40, 80, 160]);
  });
});

describe('the pause before the next watch', () => {
  const never = { times: { reconnect: { initialMs: 60_000, factor: 2, capMs: 60_000 } } };

  it('is left out after one that reported something new, however short it was', async () => {
    const probed = await probe(never);
    const { stream } = await watching(probed);
    stream.event('ADDED', watched('b', '11'));
    stream.end();
    expect(versionAsked(await probed.server.next(watches))).toBe('11');
  });

  it.each([
    [4_000, false],
    [5_000, true],
  ])('is left out after one of %d ms that reported nothing: %s', async (livedMs, isLeftOut) => {
    const machine = { aheadMs: 0 };
    const monotonicMs = () => Math.floor(performance.now() / 60_000) * 60_000 + machine.aheadMs;
    const waits: number[] = [];
    const sleep: typeof systemClock.sleep = (ms, signal) => {
      waits.push(ms);
      return systemClock.sleep(ms, signal);
    };
    const probed = await probe({ ...never, clock: { ...systemClock, monotonicMs, sleep } });
    const { stream } = await watching(probed);
    machine.aheadMs = livedMs;
    waits.length = 0;
    stream.end();
    if (isLeftOut) await probed.server.next(watches);
    else await until(() => expect(waits.some((ms) => ms > 20_000)).toBe(true));
    expect(waits.some((ms) => ms > 20_000)).toBe(!isLeftOut);
  });

  it('is left out before the list that a first version too old asks for, which is no failure', async () => {
    const probed = await probe(never);
    const { stream } = await watching(probed);
    probed.server.once(watches, (exchange) => exchange.status(410, { reason: 'Expired' }));
    stream.event('ADDED', watched('b', '11'));
    stream.end();
    await probed.server.next(lists);
    expect(probed.failures).toEqual([]);
  });
});

it('lists anew after an answer to the watch that no other try would change', async () => {
  const probed = await probe();
  const { stream } = await watching(probed);
  probed.server.once(watches, (exchange) => exchange.status(404, { reason: 'NotFound' }));
  stream.event('ADDED', watched('b', '11'));
  stream.end();
  await probed.server.next(lists);
  expect(probed.failures).toMatchObject([{ during: 'watch', failures: 1 }]);
});

describe('a version that is too old', () => {
  it.each([
    [
      'an HTTP 410',
      (probed: Probe) =>
        probed.server.once(watches, (exchange) => exchange.status(410, { reason: 'Expired' })),
    ],
    [
      'an ERROR event 410',
      (probed: Probe) =>
        probed.server.once(watches, (exchange) =>
          exchange.watch().event('ERROR', { kind: 'Status', code: 410, reason: 'Expired' }),
        ),
    ],
  ])('is listed anew after %s, and the difference is delivered', async (_, expire) => {
    const probed = await probe();
    const { stream } = await watching(probed);
    expire(probed);
    stream.end();
    const relist = await probed.server.next(lists);
    expect(probed.view.get('default', 'a')).toBeDefined();
    relist.list({ items: [job('b', '60')], resourceVersion: '70' });
    expect(versionAsked(await probed.server.next(watches))).toBe('70');
    expect(probed.delivered).toEqual(['changed a@5', 'gone a@5', 'changed b@60']);
  });

  it('is met with a back-off when every new watch answers 410', async () => {
    const { pauses, clock } = recordingPauses();
    const probed = await probe({
      ...{ clock, random: () => 0 },
      times: { reconnect: { initialMs: 40, factor: 2, capMs: pauseCapMs } },
    });
    probed.server.on(lists, (exchange) => exchange.list({ items: [], resourceVersion: '10' }));
    probed.server.on(watches, (exchange) => exchange.status(410, { reason: 'Expired' }));
    probed.start();
    await until(() => expect(probed.server.seen(lists).length).toBeGreaterThanOrEqual(4));
    // The first 410 needs no pause: the version of the first list may be too old.
    expect(probed.server.seen(lists).length).toBeLessThanOrEqual(pauses.length + 2);
    expect(pauses.slice(0, 2)).toEqual([80, 160]);
  });

  it('in the middle of a paged list restarts the list, without pages', async () => {
    const { server, start, delivered } = await probe();
    server.once(lists, (exchange) =>
      exchange.list({ items: [job('a', '1')], resourceVersion: '10', continue: 'next' }),
    );
    server.once(lists, (exchange) => exchange.status(410, { reason: 'Expired' }));
    server.once(lists, (exchange) =>
      exchange.list({ items: [job('a', '1'), job('b', '11')], resourceVersion: '12' }),
    );
    start();
    expect(versionAsked(await server.next(watches))).toBe('12');
    const [, , whole] = server.seen(lists);
    expect(whole?.query.get('limit')).toBeNull();
    expect(whole?.query.get('continue')).toBeNull();
    expect(delivered).toEqual(['changed a@1', 'changed b@11']);
  });
});

it('a watch that is stopped has stopped, however its source takes it', async () => {
  const ends: readonly ((signal: AbortSignal) => Promise<void>)[] = [
    (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    (signal) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      ),
  ];
  for (const end of ends) {
    const stop = new AbortController();
    const run: WatchRun = {
      open: async function* (signal) {
        await end(signal);
      },
      take: async () => undefined,
      clock: virtualClock(),
      ...{ silenceMs: 90, untilRelist: { remainingMs: 1_000 }, batchLimit: 10 },
      signal: stop.signal,
    };
    const ended = watchOnce(run);
    stop.abort();
    expect(await ended).toEqual({ kind: 'stopped' });
  }
});
