/** Tests that every adapter of the journal must pass. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { asEventId, asResourceVersion, asUid } from '#shared/domain/objects.ts';
import type { JournalBounds } from '#shared/journal/bounds.ts';
import {
  journalFormat,
  type DecisionRecord,
  type EventRecord,
  type Journal,
  type JournalRecord,
} from '#shared/journal/journal.ts';

export interface JournalUnderTest {
  readonly journal: Journal;
  /** FLUSHALL. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

export function eventRecord(id: string, atMs = 1_700_000_000_000): EventRecord {
  return {
    kind: 'event',
    format: journalFormat,
    atMs,
    event: {
      id: asEventId(id),
      source: '/millrace/cluster-1/batch/v1/jobs',
      type: 'dev.millrace.job.changed.v1',
      subject: '/apis/batch/v1/namespaces/team-a/jobs/one',
      apiVersion: 'batch/v1',
      kind: 'Job',
      namespace: 'team-a',
      name: 'one',
      uid: asUid('u1'),
      resourceVersion: asResourceVersion('7'),
    },
  };
}

export function decisionRecord(cause: string): DecisionRecord {
  return {
    kind: 'decision',
    format: journalFormat,
    cause,
    function: 'flow-advance',
    version: 'test',
    key: {
      apiVersion: 'api.practice.com/v1alpha1',
      kind: 'JobFlow',
      namespace: 'team-a',
      name: 'flow',
      uid: asUid('u1'),
    },
    nowMs: 1_700_000_000_000,
    snapshot: { is: { flow: { name: 'flow' }, text: 'ünïcode "quoted"\n' } },
    plan: [[{ of: 'delete Job' }]],
    reasons: [{ code: 'Started', message: 'started step a' }],
    requeueAtMs: 1_700_000_060_000,
    outcome: 'applied',
    durationMs: { observe: 1, decide: 0.5, apply: 3 },
  };
}

function sizedRecord(cause: string, length: number): DecisionRecord {
  return { ...decisionRecord(cause), outcome: 'ü'.repeat(length / 2) };
}

function idOf(record: JournalRecord): string {
  switch (record.kind) {
    case 'event':
      return record.event.id;
    case 'decision':
      return record.cause;
    case 'review':
      return record.review.uid;
  }
}

function bytesOf(...records: readonly JournalRecord[]): number {
  return records.reduce((sum, record) => sum + Buffer.byteLength(JSON.stringify(record)), 0);
}

export function journalContract(
  open: (bounds?: Partial<JournalBounds>) => Promise<JournalUnderTest>,
): void {
  let subject: JournalUnderTest;
  let journal: Journal;

  beforeEach(async () => {
    subject = await open();
    journal = subject.journal;
  });
  afterEach(() => subject.close());

  const boundedTo = async (maxBytes: number) => {
    await subject.close();
    subject = await open({ maxBytes });
    journal = subject.journal;
  };
  const kept = async () => (await journal.read(undefined, 10_000)).map(({ record }) => record);

  const ids = async (after?: string, limit = 1_000) =>
    (await journal.read(after, limit)).map(({ record }) => idOf(record));

  it('returns records as they were appended, oldest first', async () => {
    const records = [eventRecord('u1.1'), decisionRecord('u1.1'), eventRecord('u1.2')];
    await journal.append(records);
    expect((await journal.read(undefined, 10)).map(({ record }) => record)).toEqual(records);
  });

  it('keeps the order within and across appends of any size', async () => {
    const expected = Array.from({ length: 1_234 }, (_, n) => `u1.${n}`);
    await journal.append(expected.slice(0, 1_000).map((id) => eventRecord(id)));
    await journal.append(expected.slice(1_000).map((id) => eventRecord(id)));
    expect(await ids(undefined, 10_000)).toEqual(expected);
  });

  it('appends nothing when given nothing', async () => {
    await journal.append([]);
    expect(await journal.read(undefined, 10)).toEqual([]);
  });

  it('gives positions that sort as text in the order of appending', async () => {
    await journal.append(Array.from({ length: 120 }, (_, n) => eventRecord(`u1.${n}`)));
    const positions = (await journal.read(undefined, 1_000)).map(({ position }) => position);
    expect(positions).toEqual([...positions].sort());
    expect(new Set(positions).size).toBe(120);
  });

  it('reads on after a position, page by page, to the end', async () => {
    const expected = Array.from({ length: 25 }, (_, n) => `u1.${n}`);
    await journal.append(expected.map((id) => eventRecord(id)));
    const read: string[] = [];
    let after: string | undefined;
    for (;;) {
      const page = await journal.read(after, 10);
      if (page.length === 0) break;
      read.push(...page.map(({ record }) => (record as EventRecord).event.id));
      after = page.at(-1)?.position;
    }
    expect(read).toEqual(expected);
  });

  it('records an event id once, in one append and across appends', async () => {
    await journal.append([eventRecord('u1.1'), eventRecord('u1.2'), eventRecord('u1.1')]);
    await journal.append([eventRecord('u1.1', 1_700_000_000_999), eventRecord('u1.3')]);
    expect(await ids()).toEqual(['u1.1', 'u1.2', 'u1.3']);
  });

  it('records two decisions about one event', async () => {
    await journal.append([decisionRecord('u1.1'), decisionRecord('u1.1')]);
    expect(await ids()).toEqual(['u1.1', 'u1.1']);
  });

  it('returns the position of the last record, the oldest one, and the number of bytes', async () => {
    const records = [decisionRecord('first'), eventRecord('u1.1')];
    const { position, oldest, bytes } = await journal.append(records);
    const entries = await journal.read(undefined, 10);
    expect([oldest, position]).toEqual(entries.map((entry) => entry.position));
    expect(bytes).toBe(bytesOf(...records));
    const next = await journal.append([decisionRecord('next')]);
    expect(next.oldest).toBe(oldest);
    expect(await journal.append([eventRecord('u1.1')])).not.toHaveProperty('position');
  });

  it('never holds more bytes than its bound, and keeps the newest', async () => {
    const maxBytes = 20_000;
    await boundedTo(maxBytes);
    const sizes = [10, 3_000, 200, 7_000, 1, 1_500, 900];
    for (let n = 0; n < 60; n += 1) {
      await journal.append([
        sizedRecord(`d${n}`, sizes[n % sizes.length] ?? 0),
        eventRecord(`u.${n}`),
      ]);
      const records = await kept();
      expect(bytesOf(...records)).toBeLessThanOrEqual(maxBytes);
      expect(records.at(-1)).toEqual(eventRecord(`u.${n}`));
    }
    expect(bytesOf(...(await kept()))).toBeGreaterThan(maxBytes / 2);
  });

  it('keeps within its bytes when many records come at once', async () => {
    const maxBytes = 100_000;
    await boundedTo(maxBytes);
    await journal.append(Array.from({ length: 500 }, (_, n) => sizedRecord(`d${n}`, 300)));
    const bytes = bytesOf(...(await kept()));
    expect(bytes).toBeLessThanOrEqual(maxBytes);
    // No more entries are dropped than necessary.
    expect(bytes).toBeGreaterThan(maxBytes - 2_000);
    expect((await ids()).at(-1)).toBe('d499');
  });

  it('drops a record that is larger than all it may hold, and goes on', async () => {
    const maxBytes = 20_000;
    await boundedTo(maxBytes);
    await journal.append([decisionRecord('small')]);
    const { position, oldest } = await journal.append([sizedRecord('large', maxBytes)]);
    expect(position).toBeDefined();
    expect(oldest).toBeUndefined();
    expect(await ids()).toEqual([]);
    const next = await journal.append([decisionRecord('next')]);
    expect(next.position! > position!).toBe(true);
    expect(next.oldest).toBe(next.position);
    expect(await ids()).toEqual(['next']);
  });

  it('keeps its epoch until the store is emptied', async () => {
    const before = await journal.epoch();
    await journal.append([eventRecord('u1.1')]);
    expect(await journal.epoch()).toBe(before);
    await subject.empty();
    const after = await journal.epoch();
    expect(after).not.toBe(before);
    expect(await journal.epoch()).toBe(after);
  });

  it('records again what an emptied store has forgotten', async () => {
    await journal.append([eventRecord('u1.1')]);
    await subject.empty();
    expect(await ids()).toEqual([]);
    await journal.append([eventRecord('u1.1')]);
    expect(await ids()).toEqual(['u1.1']);
  });

  it('refuses a position that is none', async () => {
    await journal.append([eventRecord('u1.1')]);
    await expect(journal.read('yesterday', 10)).rejects.toThrow('not a position');
  });
}
