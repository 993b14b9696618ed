import { describe, expect, it } from 'vitest';
import { entriesIn, type RecordedEntry, RecordingFault, recordingHead } from './recording.ts';

const event = { kind: 'event', position: '1-1', event: { id: 'u.1', name: 'etl' }, atMs: 1 };
const decision = {
  ...{ kind: 'decision', position: '2-2', key: { name: 'etl' }, nowMs: 1 },
  ...{ reasons: [], outcome: 'applied' },
};

async function readFrom(...lines: readonly unknown[]): Promise<readonly RecordedEntry[]> {
  const texts = [recordingHead('0.1.0', 0), ...lines.map((line) => JSON.stringify(line))];
  const found: RecordedEntry[] = [];
  for await (const entry of entriesIn(ReadableStream.from(texts))) found.push(entry);
  return found;
}

describe('a line of a recording', () => {
  it('is an event or a decision', async () => {
    const cutOff = { ...decision, kind: 'cutOff' };
    expect(await readFrom(event, decision, cutOff)).toEqual([event, decision, cutOff]);
  });

  it.each([
    ['an event without its reference', { ...event, event: undefined }],
    ['a decision without its object', { ...decision, key: undefined }],
    ['a decision without its time', { ...decision, nowMs: undefined }],
    ['a decision without its reasons', { ...decision, reasons: undefined }],
    ['a decision without its outcome', { ...decision, outcome: undefined }],
    ['of another kind', { ...decision, kind: 'review' }],
  ])('is refused with its number: %s', async (_what, line) => {
    await expect(readFrom(event, line)).rejects.toThrow(
      new RecordingFault('line 3 is no event and no decision'),
    );
  });
});
