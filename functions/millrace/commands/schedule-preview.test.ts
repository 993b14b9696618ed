import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { CommandFailure } from '../command-failure.ts';
import type { Preview } from '../schedule/preview.ts';
import { schedulePreview } from './schedule-preview.ts';
import { outputFaults } from '../testing/output-shape.ts';

const night = { name: 'night', open: '0 20 * * *', close: '30 2 * * *' };
const now = Date.parse('2026-03-27T12:00:00Z');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-schedule-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function fileWith(...specs: readonly object[]): Promise<string> {
  const path = join(folder, `${Math.random()}.yaml`);
  const documents = specs.map((spec) =>
    stringify({
      apiVersion: 'millrace.dev/v1alpha1',
      kind: 'SuspendPolicy',
      metadata: { name: 'nights' },
      spec,
    }),
  );
  await writeFile(path, documents.join('---\n'));
  return path;
}

const ofSchedule = (schedule: object) =>
  fileWith({ schedule: { timeZone: 'Europe/Berlin', windows: [night], ...schedule } });

const preview = async (path: string, options: object = {}) =>
  schedulePreview(path, { output: 'text', ...options }, now);

async function failure(run: Promise<unknown>): Promise<CommandFailure> {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof CommandFailure) return error;
  throw new Error('it did not fail as a command does', { cause: error });
}

describe('millrace schedule preview', () => {
  it('prints each change in the zone and in UTC, and marks the days on which clocks are set', async () => {
    const span = { from: '2026-03-28', to: '2026-03-30' };
    const text = await preview(await ofSchedule({}), span);
    expect(text.split('\n').slice(0, 9)).toEqual([
      'SuspendPolicy nights in Europe/Berlin',
      '',
      'Europe/Berlin                UTC                   WORK    BECAUSE OF',
      'Sat 2026-03-28 00:00 +01:00  2026-03-27T23:00:00Z  Open    night',
      'Sat 2026-03-28 02:30 +01:00  2026-03-28T01:30:00Z  Closed  no window',
      'Sat 2026-03-28 20:00 +01:00  2026-03-28T19:00:00Z  Open    night',
      'Sun 2026-03-29 03:00 +02:00  2026-03-29T01:00:00Z  Closed  no window *',
      'Sun 2026-03-29 20:00 +02:00  2026-03-29T18:00:00Z  Open    night *',
      '* Sun 2026-03-29: the clocks go from 2026-03-29 02:00 +01:00 to 2026-03-29 03:00 +02:00',
    ]);
  });

  it('draws a line for each day from --from to --to', async () => {
    const path = await ofSchedule({});
    const drawn = async (options: object) =>
      (await preview(path, { output: 'week', ...options })).match(/\d{4}-\d{2}-\d{2}/g);
    expect(await drawn({ from: '2026-03-28', to: '2026-03-30' })).toEqual([
      '2026-03-28',
      '2026-03-29',
    ]);
    expect((await drawn({ to: '2026-04-30' }))?.at(-1)).toBe('2026-04-29');
    expect((await drawn({}))?.at(-1)).toBe('2026-04-03');
  });

  it('draws days on the wall clock, with a gap where the clocks leave an hour out', async () => {
    const from = '2026-03-28T10:00:00Z';
    const [name, hours, ...days] = (
      await preview(await ofSchedule({}), { from, output: 'week' })
    ).split('\n');
    expect(name).toBe('SuspendPolicy nights');
    expect(hours).toMatch(/^ {15}0 {3}2 {3}4 .* 20 {2}22$/);
    expect(days.slice(0, 2)).toEqual([
      `Sat 2026-03-28 ${'#'.repeat(5)}${'.'.repeat(35)}${'#'.repeat(8)}`,
      `Sun 2026-03-29 ${'#'.repeat(4)}  ${'.'.repeat(34)}${'#'.repeat(8)}`,
    ]);
    expect(days[8]).toContain('# open');
  });

  it('prints JSON for programs', async () => {
    const path = await ofSchedule({ mode: 'SuspendInside' });
    const printed = JSON.parse(await preview(path, { output: 'json' })) as readonly Preview[];
    expect(outputFaults('schedule')(printed)).toEqual([]);
    const [found] = printed;
    expect(found).toMatchObject({ policy: 'SuspendPolicy nights', timeZone: 'Europe/Berlin' });
    expect(found?.lines.slice(0, 2)).toEqual([
      {
        utc: '2026-03-27T12:00:00Z',
        local: '2026-03-27T13:00:00+01:00',
        weekday: 'Fri',
        state: 'Open',
        because: [],
        isClockChangeDay: false,
      },
      {
        utc: '2026-03-27T19:00:00Z',
        local: '2026-03-27T20:00:00+01:00',
        weekday: 'Fri',
        state: 'Closed',
        because: ['night'],
        isClockChangeDay: false,
      },
    ]);
    expect(found?.clockChanges).toEqual([
      {
        utc: '2026-03-29T01:00:00Z',
        weekday: 'Sun',
        localBefore: '2026-03-29T02:00:00+01:00',
        localAfter: '2026-03-29T03:00:00+02:00',
      },
    ]);
  });

  it('refuses a window that never opens, with the reason', async () => {
    const never = { ...night, open: '0 0 31 2 *' };
    const { message, exitCode } = await failure(preview(await ofSchedule({ windows: [never] })));
    expect(exitCode).toBe(5);
    expect(message).toContain(
      'spec.schedule.windows[0]: the window "night" never opens: no day is named by "0 0 31 2 *"',
    );
  });

  it('says that a policy without a schedule is always open', async () => {
    const text = await preview(await fileWith({ capacity: { maxJobs: 1 } }));
    expect(text).toBe('SuspendPolicy nights has no schedule: it is always open\n');
  });

  it.each([
    ['a day that no month has', { from: '2026-02-30' }, '2026-02-30 is no time'],
    ['a time without an offset', { from: '2026-03-28T10:00:00' }, 'is no time'],
    [
      'an end before the beginning',
      { from: '2026-03-02', to: '2026-03-01' },
      '--to 2026-03-01 is not after --from 2026-03-02',
    ],
    [
      'an end in the past without a beginning',
      { to: '2026-03-01' },
      '--to 2026-03-01 is not after now, the default of --from',
    ],
    ['too long a time', { to: '2066-03-01' }, '--to 2066-03-01 is more than ten years after now'],
  ])('refuses %s', async (_, options, words) => {
    const { message, exitCode } = await failure(preview(await ofSchedule({}), options));
    expect(exitCode).toBe(2);
    expect(message).toContain(words);
  });

  it('refuses a file that does not exist, as every verb does', async () => {
    await expect(preview('nowhere.yaml')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('refuses a file without a policy', async () => {
    const path = join(folder, 'job.yaml');
    await writeFile(path, stringify({ apiVersion: 'batch/v1', kind: 'Job' }));
    expect((await failure(preview(path))).message).toContain('holds no SuspendPolicy');
  });
});
