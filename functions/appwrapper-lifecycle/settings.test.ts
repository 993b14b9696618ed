import { describe, expect, it } from 'vitest';
import { defaults, graceCeilingMs, settingsOf } from './settings.ts';

const settingsPrefix = 'workload.codeflare.dev.appwrapper/';

const graces = {
  admissionGracePeriodDuration: 'admissionGraceMs',
  warmupGracePeriodDuration: 'warmupGraceMs',
  failureGracePeriodDuration: 'failureGraceMs',
  retryPausePeriodDuration: 'retryPauseMs',
  forcefulDeletionGracePeriodDuration: 'forcefulDeletionGraceMs',
  deletionOnFailureGracePeriodDuration: 'deletionOnFailureGraceMs',
} as const;
const suffixes = Object.keys(graces) as readonly (keyof typeof graces)[];

function settingsWith(texts: Readonly<Record<string, string>>) {
  const named = Object.entries(texts).map(([suffix, text]) => [settingsPrefix + suffix, text]);
  return settingsOf({ annotations: Object.fromEntries(named) as Record<string, string> });
}

function everyGrace(text: string) {
  return settingsWith(Object.fromEntries(suffixes.map((suffix) => [suffix, text])));
}

describe('the fault tolerance of an AppWrapper', () => {
  it('is the default without annotations (U7)', () => {
    expect(settingsOf({})).toEqual(defaults);
    expect(defaults.deletionOnFailureGraceMs).toBe(0);
  });

  it('is what valid annotations say (U8)', () => {
    const settings = { ...everyGrace('10s') };
    for (const suffix of suffixes) expect(settings[graces[suffix]], suffix).toBe(10_000);
    expect(settingsWith({ retryLimit: '101', successTTLDuration: '10s' })).toEqual({
      ...defaults,
      retryLimit: 101,
      successTtlMs: 10_000,
    });
  });

  it.each(['abc', '10', '', '1 h', '10s '])(
    'is the default where a duration is %j (U9)',
    (text) => {
      expect(everyGrace(text)).toEqual(defaults);
      expect(settingsWith({ retryLimit: 'abc', successTTLDuration: text })).toEqual(defaults);
    },
  );

  it('takes a negative duration for none and a long one for the ceiling (U10)', () => {
    for (const suffix of suffixes) {
      expect(settingsWith({ [suffix]: '-1s' })[graces[suffix]], suffix).toBe(0);
      expect(settingsWith({ [suffix]: '48h' })[graces[suffix]], suffix).toBe(graceCeilingMs);
    }
  });

  it.each(['-1h', '0', '200h'])('keeps the ceiling where the TTL is %j (U10)', (text) => {
    expect(settingsWith({ successTTLDuration: text })).toEqual(defaults);
  });

  it('passes over what is no exit code (U11)', () => {
    const texts = { terminalExitCodes: '3,10,abc,42', retryableExitCodes: 'x,10,20' };
    expect(settingsWith(texts)).toMatchObject({
      terminalExitCodes: [3, 10, 42],
      retryableExitCodes: [10, 20],
    });
  });

  it.each([
    ['1h30m', 5_400_000],
    ['500ms', 500],
    ['1.5s', 1_500],
    ['+.5s', 500],
    ['1m0s', 60_000],
  ])('reads the duration %j as Go does', (text, ms) => {
    expect(settingsWith({ failureGracePeriodDuration: text }).failureGraceMs).toBe(ms);
  });
});
