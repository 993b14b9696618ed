import { describe, expect, it } from 'vitest';
import { comparedBy, type Due, statusWrite } from './status-write.ts';

const nowMs = Date.parse('2026-11-27T10:00:00Z');
const write = (due: Due, after = { running: 2 }) =>
  statusWrite({ before: { running: 1 }, after }, nowMs, () => due);

describe('a difference of the status', () => {
  it.each<[string, Due]>([
    ['may not wait', 'now'],
    ['is due by now', nowMs],
  ])('that %s is written with the time', (_, due) => {
    expect(write(due)).toEqual({
      patch: { running: 2, lastUpdateTime: '2026-11-27T10:00:00.000000Z' },
    });
  });

  it('that may wait is due later', () => {
    expect(write(nowMs + 1)).toEqual({ dueMs: nowMs + 1 });
  });

  it('that need not be written for its own sake causes nothing', () => {
    expect(write(undefined)).toEqual({});
  });
});

it('asks for no time when nothing differs', () => {
  expect(write('now', { running: 1 })).toEqual({});
});

it('compares what the schema knows, but neither the time of the last write nor what is derived', () => {
  const compared = comparedBy({ properties: { state: 1, lastUpdateTime: 1, positions: 1 } }, [
    'positions',
  ]);
  const status = {
    state: 'Running',
    lastUpdateTime: 'then',
    positions: '1-9',
    ofAnotherVersion: 1,
  };
  expect(compared(status)).toEqual({ state: 'Running' });
});
