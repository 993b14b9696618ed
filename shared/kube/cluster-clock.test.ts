import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { httpDateOf } from '#shared/domain/time.ts';
import { ClusterClock } from './cluster-clock.ts';

const hourMs = 3_600_000;
const beginningMs = Date.parse('2026-03-02T08:00:00.400Z');

/** A machine and an API server that is `serverAheadMs` ahead of it. */
function machine(serverAheadMs = 0) {
  const own = virtualClock(beginningMs);
  const warnings: object[] = [];
  const clock = new ClusterClock({ own, logger: { warn: (fields) => warnings.push(fields) } });
  const server = { aheadMs: serverAheadMs };
  const serverNowMs = () => beginningMs + own.monotonicMs() + server.aheadMs;
  /** Half of the request's time is the way there, half the way back. */
  const ask = async (tookMs = 4, aheadMs = server.aheadMs) => {
    const askedMs = own.monotonicMs();
    await own.advance(tookMs / 2);
    const date = httpDateOf(beginningMs + own.monotonicMs() + aheadMs);
    await own.advance(tookMs / 2);
    clock.hear({ date, askedMs, answeredMs: own.monotonicMs() });
  };
  const errorMs = () => clock.now() - serverNowMs();
  return { own, clock, server, warnings, ask, errorMs };
}

describe('the time of the cluster', () => {
  it("is the machine's where nothing was heard", () => {
    const { own, clock } = machine();
    own.step(hourMs);
    expect(clock.now()).toBe(own.now());
    expect(clock.aheadMs).toBe(0);
  });

  it.each([
    ['Tue, 31 Dec 2019 23:59:59 GMT', false],
    ['Wed, 01 Jan 2020 00:00:00 GMT', true],
  ])('is not that of a server without a battery, before 2020 (clock-5): %s', (date, isHeard) => {
    const { clock } = machine();
    clock.hear({ date, askedMs: 0, answeredMs: 0 });
    expect(clock.aheadMs > 0).toBe(isHeard);
  });

  it("is the machine's where the server's answers allow it (clock-2)", async () => {
    const { own, clock, ask } = machine();
    for (let asked = 0; asked < 50; asked += 1) {
      await ask(7);
      await own.advance(310);
      expect(clock.now()).toBe(own.now());
    }
  });

  it("is the server's where the machine's clock is wrong, after one answer (clock-2)", () => {
    const offset = fc.integer({ min: -5 * hourMs, max: 5 * hourMs });
    const took = fc.integer({ min: 0, max: 3_000 });
    return fc.assert(
      fc.asyncProperty(offset, took, async (offsetMs, tookMs) => {
        const { own, ask, errorMs } = machine();
        own.step(offsetMs);
        await ask(tookMs);
        expect(errorMs()).toBeLessThanOrEqual(1_000);
        expect(errorMs()).toBeGreaterThanOrEqual(-1_000 - tookMs - 1);
      }),
    );
  });

  it('becomes exact with the answers, to the length of a request and their number', async () => {
    const { own, ask, errorMs } = machine();
    own.step(hourMs);
    for (let asked = 0; asked < 40; asked += 1) {
      await ask(4);
      await own.advance(733);
    }
    expect(Math.abs(errorMs())).toBeLessThan(60);
  });

  it('is the one moment that two answers leave', () => {
    const { own, clock } = machine();
    own.step(-hourMs);
    const first = Math.floor(beginningMs / 1_000) * 1_000;
    for (const dateMs of [first, first + 1_000]) {
      clock.hear({ date: httpDateOf(dateMs), askedMs: 0, answeredMs: 0 });
    }
    expect(clock.now()).toBe(first + 1_000);
  });

  it("does not jump when the machine's clock is set (clock-3)", async () => {
    const { own, ask, errorMs } = machine();
    await ask();
    for (const byMs of [hourMs, -2 * hourMs]) {
      own.step(byMs);
      expect(Math.abs(errorMs())).toBeLessThan(1_010);
    }
  });

  it('is never ahead by more than a second, however long requests take (clock-2)', async () => {
    const { own, ask, errorMs } = machine();
    own.step(20_000);
    await ask(35_000);
    expect(errorMs()).toBeLessThanOrEqual(1_000);
  });

  it('stays within its bounds when nothing is heard for long', async () => {
    const { own, ask, errorMs } = machine();
    own.step(hourMs);
    await ask();
    await own.advance(600_000);
    expect(errorMs()).toBeLessThanOrEqual(1_000);
    expect(errorMs()).toBeGreaterThan(-2_000);
  });
});

describe('an answer that contradicts the ones before', () => {
  it('is believed at once when it says that it is earlier (clock-4)', async () => {
    const { server, ask, errorMs } = machine(hourMs);
    await ask();
    server.aheadMs = 0;
    await ask();
    expect(Math.abs(errorMs())).toBeLessThan(1_010);
  });

  it('is believed when it is the third that says that it is later (clock-4)', async () => {
    const { server, ask, errorMs } = machine(-hourMs);
    await ask();
    server.aheadMs = 2 * hourMs;
    await ask();
    await ask();
    expect(errorMs()).toBeLessThan(-2 * hourMs);
    await ask();
    expect(Math.abs(errorMs())).toBeLessThan(1_010);
  });

  it("is believed at once when the machine's clock agrees with it (clock-4)", async () => {
    const { server, ask, errorMs } = machine(-hourMs);
    await ask();
    server.aheadMs = 0;
    await ask();
    expect(errorMs()).toBe(0);
  });

  it("is not believed at once when the machine's clock is later still (clock-4)", async () => {
    const { own, server, ask, errorMs } = machine();
    own.step(3 * hourMs);
    await ask();
    server.aheadMs = hourMs;
    await ask();
    expect(errorMs()).toBeLessThan(-hourMs + 1_010);
  });

  it('of one among several servers whose clock is ahead moves nothing (clock-4)', async () => {
    const { own, ask, errorMs } = machine();
    own.step(60_000);
    for (let round = 0; round < 10; round += 1) {
      await ask();
      await ask(4, hourMs);
      await ask(4, hourMs);
      expect(errorMs()).toBeLessThanOrEqual(1_000);
    }
  });
});

describe('a Date header that cannot be used', () => {
  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['garbage', 'yesterday'],
    ['a number', '1772438400'],
    ['a time of the API', '2026-03-02T09:00:00Z'],
    ['an impossible day', 'Mon, 99 Mar 2026 09:00:00 GMT'],
    ['the epoch', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ])('is passed over: %s (clock-5)', (_, date) => {
    const { own, clock } = machine();
    clock.hear({ date, askedMs: 0, answeredMs: 1 });
    expect(clock.now()).toBe(own.now());
  });
});

describe('a clock that is far off', () => {
  it('is logged once with its offset, and again when it is corrected and goes wrong again', async () => {
    const { own, ask, warnings } = machine();
    own.step(90_000);
    await ask();
    await ask();
    // Reports only the certain part.
    expect(warnings).toEqual([{ aheadSeconds: 89 }]);
    own.step(-90_000);
    await ask();
    own.step(-45_000);
    await ask();
    expect(warnings.slice(1)).toEqual([{ aheadSeconds: -45 }]);
  });

  it('is left alone below half a minute', async () => {
    const { own, ask, warnings } = machine();
    own.step(25_000);
    await ask();
    expect(warnings).toEqual([]);
  });
});
