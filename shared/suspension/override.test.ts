import { describe, expect, it } from 'vitest';
import { overrideAt, readOverride } from './override.ts';

const nowMs = Date.parse('2026-11-21T12:00:00Z');
const untilMs = Date.parse('2026-11-21T18:00:00Z');

describe('an override of a suspend policy', () => {
  it.each([
    ['Run', { wants: 'Run' }],
    ['hold', { wants: 'Hold' }],
    ['HOLD', { wants: 'Hold' }],
    [' run ', { wants: 'Run' }],
    ['Run;until=2026-11-21T18:00:00Z', { wants: 'Run', untilMs }],
    ['Run; until=2026-11-21T18:00:00Z', { wants: 'Run', untilMs }],
    ['run ; until = 2026-11-21t18:00:00z', { wants: 'Run', untilMs }],
    ['Hold;until=2026-11-21T20:00:00+02:00', { wants: 'Hold', untilMs }],
    ['Hold;until=2026-11-21T18:00Z', { wants: 'Hold', untilMs }],
  ])('is read from %j', (text, override) => {
    expect(readOverride(text)).toEqual(override);
    expect(overrideAt(text, nowMs)).toEqual(override);
    expect(overrideAt(text, untilMs)).toEqual('untilMs' in override ? undefined : override);
  });

  it.each([
    ['yes', '"yes" is neither Run nor Hold'],
    ['', '"" is neither Run nor Hold'],
    ['Run until tomorrow', '"Run until tomorrow" is neither Run nor Hold'],
    ['Run;until=18:00', '"18:00" is no time with its offset from UTC'],
    ['Run;until=2026-11-21T18:00:00', '"2026-11-21T18:00:00" is no time with its offset from UTC'],
    [
      'Run;until=2026-13-41T18:00:00Z',
      '"2026-13-41T18:00:00Z" is no time with its offset from UTC',
    ],
    ['x'.repeat(100_000), `"${'x'.repeat(60)}..." is neither Run nor Hold`],
  ])('that cannot be read says what to write: %j', (text, why) => {
    const usage = 'write Run, Hold, or for example Run;until=2030-01-31T18:00:00Z';
    expect(readOverride(text)).toBe(`${why}; ${usage}`);
    expect(overrideAt(text, nowMs)).toBeUndefined();
  });
});
