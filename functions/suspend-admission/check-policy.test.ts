import { expect, it } from 'vitest';
import type { Review } from '#shared/domain/admission-decision.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { checkPolicy } from './check-policy.ts';
import { answer, creation, nights, object, policy } from './testing/reviews.ts';

const { group, version, plural, kind } = resources.SuspendPolicy;

function created(schedule: object): Review {
  return {
    ...creation(object('Job')),
    kind: { group, version, kind },
    resource: { group, version, plural },
    object: policy('nights', { schedule } as never) as unknown as JsonObject,
  };
}

it.each([
  ['an unknown zone', { ...nights, timeZone: 'Mars/Base' }, 'spec.schedule.timeZone'],
  ['the zone of the reader', { ...nights, timeZone: 'Local' }, 'spec.schedule.timeZone'],
  ['no zone', { ...nights, timeZone: '' }, 'spec.schedule.timeZone'],
  [
    'a window that never opens',
    { ...nights, windows: [{ name: 'never', open: '0 0 30 2 *', close: '0 1 30 2 *' }] },
    'spec.schedule.windows[0]',
  ],
])('refuses %s (scenario 56)', async (_, schedule, path) => {
  const decision = await answer(checkPolicy, created(schedule));
  expect(decision).toMatchObject({ allowed: false, code: 422, reason: 'Invalid' });
  expect(decision).toHaveProperty('message', expect.stringContaining(path));
});

it('takes one that can be followed', async () => {
  expect(await answer(checkPolicy, created(nights))).toEqual({ allowed: true });
});

it('names every fault', async () => {
  const never = { name: 'never', open: '0 0 30 2 *', close: '0 1 30 2 *' };
  const windows = [never, { ...never, name: 'nor this' }];
  expect(await answer(checkPolicy, created({ ...nights, windows }))).toHaveProperty(
    'message',
    expect.stringMatching(/^spec\.schedule\.windows\[0\]: .+; spec\.schedule\.windows\[1\]: /),
  );
});
