/** What every adapter of the journal does. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { asEventId, asResourceVersion, asUid } from '#shared/domain/objects.ts';
import type { DecisionRecord, EventRecord, Journal } from '#shared/journal/journal.ts';

export interface JournalUnderTest {
  readonly journal: Journal;
  /** FLUSHALL. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

export interface JournalContractOptions {
  /** The bound on stored contents that the journal under test was made with. */
  readonly maxContents: number;
}

export function eventRecord(id: string, atMs = 1_700_000_000_000): EventRecord {
  return {
    kind: 'event',
    format: 1,
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
    format: 1,
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
    gates: {},
    snapshot: { flow: { $content: 'abc' }, text: 'ünïcode "quoted"\n' },
    plan: [],
    reasons: [{ code: 'Started', message: 'started step a' }],
    requeueAtMs: 1_700_000_060_000,
    outcome: 'applied',
    durationMs: { observe: 1, decide: 0.5, apply: 3 },
  };
}

export function journalContract(
  open: () => Promise<JournalUnderTest>,
  { maxContents }: JournalContractOptions,
): void {
  let subject: JournalUnderTest;
  let journal: Journal;

  beforeEach(async () => {
    subject = await open();
    journal = subject.journal;
  });
  afterEach(() => subject.close());

  const ids = async (after?: string, limit = 1_000) =>
    (await journal.read(after, limit)).map(({ record }) =>
      record.kind === 'event' ? record.event.id : record.cause,
    );

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

  it('returns a stored content by its hash, and undefined for an unknown one', async () => {
    const content = { spec: { flows: [{ name: 'a' }, null, 1.5, true] } };
    await journal.putContent('hash-1', content);
    await journal.putContent('hash-1', content);
    expect(await journal.getContent('hash-1')).toEqual(content);
    expect(await journal.getContent('hash-2')).toBeUndefined();
  });

  it('drops the contents that were unused for longest when there are too many', async () => {
    const tick = () => new Promise((resolve) => setTimeout(resolve, 2));
    for (let n = 0; n < maxContents; n += 1) {
      await journal.putContent(`h${n}`, n);
      await tick();
    }
    await journal.putContent('h0', 0);
    await tick();
    await journal.getContent('h1');
    await tick();
    await journal.putContent('new', 'new');
    await tick();
    await journal.putContent('newer', 'newer');
    const kept = await Promise.all(
      ['h0', 'h1', 'h2', 'h3', 'new', 'newer'].map((hash) => journal.getContent(hash)),
    );
    expect(kept).toEqual([0, 1, undefined, undefined, 'new', 'newer']);
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
