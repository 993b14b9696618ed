import { describe, expect, it } from 'vitest';
import {
  job,
  lists,
  probe,
  until,
  watched,
  watches,
  watching,
} from '#test/support/reflector-probe.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { Delivery } from './reflector-delivery.ts';
import type { Change } from './reflector-options.ts';

describe('a receiver that is slow or fails', () => {
  it('stops the reading: the view shows nothing beyond the batch that is being taken', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const probed = await probe({ times: { batchLimit: 10 } }, (changes) =>
      changes.some(({ object }) => object.metadata.name === 'burst-0') ? gate : undefined,
    );
    const { stream } = await watching(probed);
    for (let index = 0; index < 10_000; index += 1) {
      stream.event('ADDED', watched(`burst-${index}`, String(11 + index)));
    }
    await until(() => expect(probed.view.size).toBeGreaterThan(1));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(probed.view.size).toBeLessThanOrEqual(11);
    release();
    await until(() => expect(probed.delivered).toHaveLength(10_001));
    expect(probed.delivered.at(-1)).toBe('changed burst-9999@10010');
    expect(Math.max(...probed.batches)).toBeLessThanOrEqual(10);
  });

  it('is given what is ready in batches, so that a burst does not cost a round trip per event', async () => {
    const probed = await probe();
    const { stream } = await watching(probed);
    stream.raw(
      Array.from({ length: 100 }, (_, index) =>
        JSON.stringify({ type: 'ADDED', object: watched(`b${index}`, String(11 + index)) }),
      ).join('\n') + '\n',
    );
    await until(() => expect(probed.delivered).toHaveLength(101));
    expect(probed.batches.length).toBeLessThan(12);
  });

  it('does not make a watch look silent: the same one reports what comes next', async () => {
    let sendMore = (): void => undefined;
    const clock = virtualClock();
    const probed = await probe({ clock, times: { silenceMs: 90 } }, async (changes) => {
      if (changes[0]?.object.metadata.name !== 'b') return;
      // Waits in the stream until the current one is taken. A watch that was cut off loses it.
      sendMore();
      for (let passedMs = 0; passedMs < 450; passedMs += 30) await clock.advance(30);
    });
    const { stream } = await watching(probed);
    sendMore = () => stream.event('ADDED', watched('c', '12'));
    stream.event('ADDED', watched('b', '11'));
    await until(() => expect(probed.delivered).toContain('changed c@12'));
    expect(probed.delivered).toEqual(['changed a@5', 'changed b@11', 'changed c@12']);
    expect(probed.server.seen(watches)).toHaveLength(1);
  });

  it('gets the same change again until it takes it, and nothing else before', async () => {
    let refusals = 3;
    const offered: string[] = [];
    const probed = await probe({ times: { batchLimit: 1 } }, ([change]) => {
      offered.push(change!.object.metadata.name);
      if (change!.object.metadata.name === 'b' && refusals-- > 0) throw new Error('not now');
    });
    const { stream } = await watching(probed);
    stream.event('ADDED', watched('b', '11'));
    stream.event('ADDED', watched('c', '12'));
    await until(() => expect(probed.delivered).toContain('changed c@12'));
    expect(offered).toEqual(['a', 'b', 'b', 'b', 'b', 'c']);
    expect(probed.failures.map(({ during, failures }) => [during, failures])).toEqual([
      ['deliver', 1],
      ['deliver', 2],
      ['deliver', 3],
    ]);
    expect(probed.reflector.stats.redeliveries).toBe(3);
  });

  it('is not synced before it has taken the whole list', async () => {
    let refusals = 2;
    const probed = await probe({}, () => {
      expect(probed.states).toEqual(['listing']);
      if (refusals-- > 0) throw new Error('not now');
    });
    await watching(probed);
    expect(probed.delivered).toEqual(['changed a@5']);
    expect(probed.states).toEqual(['listing', 'synced', 'watching']);
  });

  it('gets after a restart what an abort left over', async () => {
    let broken = true;
    const probed = await probe({}, () => {
      if (broken) throw new Error('not now');
    });
    probed.server.on(lists, (exchange) =>
      exchange.list({ items: [job('a', '5')], resourceVersion: '10' }),
    );
    probed.start();
    await until(() => expect(probed.failures.length).toBeGreaterThan(1));
    await probed.stop();
    broken = false;
    probed.start();
    await probed.server.next(watches);
    expect(probed.delivered).toEqual(['changed a@5']);
  });
});

it('what an abort left over comes before what is pushed after it', async () => {
  const delivered: string[] = [];
  const stop = new AbortController();
  const delivery = new Delivery({
    deliver: (changes) => {
      if (!stop.signal.aborted) {
        stop.abort();
        throw new Error('not taken');
      }
      delivered.push(...changes.map(({ object }) => object.metadata.name));
      return Promise.resolve();
    },
    clock: systemClock,
    random: () => 0.5,
    redeliver: { initialMs: 1, factor: 1, capMs: 1 },
    batchLimit: 10,
    onFailure: () => undefined,
  });
  const change = (name: string): Change => ({
    type: 'changed',
    object: watched(name, '5') as unknown as KubeObject,
  });
  delivery.push([change('a'), change('b')]);
  await delivery.drain(stop.signal);
  expect(delivered).toEqual([]);
  delivery.push([change('c')]);
  await delivery.drain(new AbortController().signal);
  expect(delivered).toEqual(['a', 'b', 'c']);
});
