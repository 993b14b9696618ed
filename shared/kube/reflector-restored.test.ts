import { describe, expect, it } from 'vitest';
import type { ReflectorOptions, StartedOver } from '#shared/kube/reflector-options.ts';
import {
  bookmark,
  job,
  lists,
  probe,
  type Probe,
  until,
  watched,
  watches,
  watching,
} from '#test/support/reflector-probe.ts';

/** Short; the back-offs of the probe (10 to 40 ms, at least half of that) add up to it. */
const history = { refusals: 5, risingMs: 60, standingMs: 400 };
const times = { history } satisfies ReflectorOptions['times'];
const followed = ['changed a@5', 'changed b@100'];

/** Knows `a@5` and `b@100`. From then on `answer` gives each list, by its number. */
async function restored(
  probed: Probe,
  answer: (index: number) => { version: number; items?: readonly ReturnType<typeof job>[] },
) {
  const { stream } = await watching(probed);
  stream.event('ADDED', watched('b', '100'));
  await until(() => expect(probed.delivered).toEqual(followed));
  let index = 0;
  probed.server.on(lists, (exchange) => {
    const { version, items = [job('a', '5')] } = answer(index);
    index += 1;
    exchange.list({ items, resourceVersion: String(version) });
  });
  probed.server.once(watches, (exchange) => exchange.status(410));
  stream.end();
}

describe('lists that are older than what is known', () => {
  it('are believed once enough of them in a row, over long enough, went on among themselves', async () => {
    const startedOver: StartedOver[] = [];
    const probed = await probe({ times, onStartOver: (event) => void startedOver.push(event) });
    await restored(probed, (index) => ({ version: 50 + index }));
    await until(() => expect(probed.delivered).toHaveLength(4));
    expect(probed.delivered).toEqual([...followed, 'gone b@100', 'changed a@5']);
    expect([...probed.view.values()].map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(probed.reflector.stats).toMatchObject({ startedOver: 1, refusedInARow: 0 });
    expect(probed.reflector.stats.refused).toBeGreaterThanOrEqual(history.refusals);
    expect(startedOver).toMatchObject([
      { because: 'older-lists', known: '100', gone: 1, listed: 1 },
    ]);
    expect(startedOver[0]?.waitedMs).toBeGreaterThanOrEqual(history.risingMs);
  });

  it('are refused while they are few or have not lasted', async () => {
    const probed = await probe({ times: { history: { ...history, risingMs: 60_000 } } });
    await restored(probed, (index) => ({ version: index < 8 ? 50 + index : 101 }));
    await probed.server.next(watches);
    expect(probed.reflector.stats).toMatchObject({ refused: 8, startedOver: 0, refusedInARow: 0 });
    expect(probed.delivered).toEqual([...followed, 'gone b@100']);
  });

  it('that stand still come from a server that is cut off: they take longer to be believed', async () => {
    const waits: number[] = [];
    const onStartOver = ({ waitedMs }: StartedOver): void => void waits.push(waitedMs);
    const probed = await probe({ times, onStartOver });
    await restored(probed, () => ({ version: 50 }));
    await until(() => expect(probed.reflector.stats.startedOver).toBe(1));
    expect(waits[0]).toBeGreaterThanOrEqual(history.standingMs);
  });

  it('that fall among themselves come from several servers, and are never believed', async () => {
    const probed = await probe({ times });
    await restored(probed, (index) => ({ version: 90 - 10 * (index % 4) }));
    await until(() => expect(probed.reflector.stats.refused).toBeGreaterThan(20));
    expect(probed.reflector.stats.startedOver).toBe(0);
    expect(probed.delivered).toEqual(followed);
  });

  it('are in the stats for as long as they are refused, with both versions', async () => {
    const probed = await probe({ times: { history: { ...history, risingMs: 60_000 } } });
    await restored(probed, () => ({ version: 50 }));
    await until(() => expect(probed.reflector.stats.refusedInARow).toBeGreaterThan(2));
    expect(probed.reflector.stats).toMatchObject({ version: '100', refusedVersion: '50' });
  });

  it('are not believed while the receiver objects, and asked about again', async () => {
    let objections = 2;
    const probed = await probe({
      times,
      onStartOver: () => {
        if (objections-- > 0) throw new Error('which cluster is it?');
      },
    });
    await restored(probed, (index) => ({ version: 50 + index }));
    await until(() => expect(probed.reflector.stats.startedOver).toBe(1));
    expect(objections).toBe(-1);
    expect(probed.delivered).toEqual([...followed, 'gone b@100', 'changed a@5']);
  });

  it('are believed at once by a reflector that is configured so', async () => {
    const probed = await probe({ times: { silenceMs: 90 } });
    const { stream } = await watching(probed);
    stream.event('ADDED', watched('b', '100'));
    await until(() => expect(probed.delivered).toEqual(followed));
    probed.server.once(lists, (exchange) =>
      exchange.list({ items: [job('a', '5')], resourceVersion: '50' }),
    );
    probed.reflector.historyChanged();
    await until(() => expect(probed.delivered).toHaveLength(4));
    expect(probed.reflector.stats).toMatchObject({ startedOver: 1, refused: 0 });
  });
});

describe('a newer list that shows an object older than it was', () => {
  it('is of another history (a restore that raised the revision): all of it is reported anew', async () => {
    const startedOver: StartedOver[] = [];
    const probed = await probe({ onStartOver: (event) => void startedOver.push(event) });
    await restored(probed, () => ({ version: 1_000_000, items: [job('b', '7'), job('a', '5')] }));
    await until(() => expect(probed.delivered).toHaveLength(4));
    expect(probed.delivered).toEqual([...followed, 'changed b@7', 'changed a@5']);
    expect(probed.view.get('default', 'b')?.metadata.resourceVersion).toBe('7');
    expect(startedOver).toMatchObject([
      { because: 'older-objects', known: '100', listedAt: '1000000' },
    ]);
  });
});

describe('starting over', () => {
  it('forgets own writes and deletes, whose versions are of the history that is no more', async () => {
    const probed = await probe({ times });
    await restored(probed, (index) => ({
      version: 50 + index,
      items: [job('a', '5'), job('deleted', '6')],
    }));
    probed.view.write(watched('deleted', '101') as never);
    probed.view.forget('default', 'deleted', undefined);
    probed.view.write(watched('written', '102') as never);
    probed.view.write(watched('a', '103') as never);
    await until(() => expect(probed.reflector.stats.startedOver).toBe(1));
    expect([...probed.view.values()].map(({ metadata }) => metadata)).toMatchObject([
      { name: 'a', resourceVersion: '5' },
      { name: 'deleted', resourceVersion: '6' },
    ]);
  });

  it('is prompted by a bookmark that is older than what is known', async () => {
    const probed = await probe({ times: { ...times, silenceMs: 600 } });
    const { stream } = await watching(probed);
    stream.event('ADDED', watched('b', '100'));
    await until(() => expect(probed.delivered).toEqual(followed));
    stream.event('BOOKMARK', bookmark('60'));
    await probed.server.next(lists);
    expect(probed.server.seen(lists)).toHaveLength(2);
    // The failure of the next watch did not cause it.
    expect(probed.server.seen(watches)).toHaveLength(1);
    expect(probed.failures).toEqual([]);
  });
});
