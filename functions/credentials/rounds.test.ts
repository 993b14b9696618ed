import { expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import type { Kept } from './keep-credentials.ts';
import { createRounds } from './rounds.ts';

const whole: Kept = { untrusted: [], hasUpdated: false };
const absent: Kept = { untrusted: ['flow-admission'], hasUpdated: false };
const updated: Kept = { untrusted: [], hasUpdated: true };

/** Each wait in seconds, and why it was not ready then, if the rounds find these results. */
async function waitsAfter(found: readonly (Kept | Error)[]) {
  const stop = new AbortController();
  const waits: (readonly [number, string | undefined])[] = [];
  const warnings: unknown[] = [];
  const left = [...found];
  const rounds = createRounds({
    keep: () => {
      const next = left.shift()!;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    clock: {
      sleep: (ms) => {
        waits.push([ms / 1_000, rounds.notReady()]);
        if (left.length === 0) stop.abort();
        return Promise.resolve();
      },
    },
    logger: { warn: (fields: unknown) => void warnings.push(fields) },
  });
  await rounds.run(stop.signal);
  return { waits, warnings };
}

const early = 'there is no webhook configuration of flow-admission yet';

it('looks again soon for a webhook configuration that is applied last, and is not ready before (certificate-3)', async () => {
  const { waits } = await waitsAfter([absent, absent, updated, whole]);
  expect(waits).toEqual([
    [2, early],
    [4, early],
    [2, undefined],
    [30, undefined],
  ]);
});

it('asks ever less often for one that does not come', async () => {
  const { waits } = await waitsAfter([absent, absent, absent, absent, absent, absent]);
  expect(waits.map(([seconds]) => seconds)).toEqual([2, 4, 8, 16, 30, 30]);
});

it('a process stays ready after a webhook configuration was removed', async () => {
  const { waits } = await waitsAfter([whole, absent]);
  expect(waits).toEqual([
    [30, undefined],
    [30, undefined],
  ]);
});

it('tries again soon what may pass, and seldom what lasts', async () => {
  const passing = new MillraceError('MR_API_RETRYABLE', { detail: 'away' });
  const lasting = new MillraceError('MR_API_FORBIDDEN', { detail: 'not yours' });
  const { waits, warnings } = await waitsAfter([passing, lasting]);
  expect(waits).toEqual([
    [2, 'credentials are not made yet'],
    [30, 'credentials are not made yet'],
  ]);
  expect(warnings).toEqual([{ err: passing }, { err: lasting }]);
});
