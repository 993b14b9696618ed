import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import type { ReviewRecord } from '#shared/admission/review-record.ts';
import { ReviewRecords } from './review-records.ts';

const record = {} as ReviewRecord;
const settled = () => new Promise((resolve) => setImmediate(resolve));

function recordsTo(store: () => Promise<void>) {
  const registry = new Registry();
  const logged: string[] = [];
  const write = (line: string) => void logged.push((JSON.parse(line) as { msg: string }).msg);
  const logger = pino({}, { write });
  const limits = { records: 2, bytes: 100 };
  const records = new ReviewRecords({ recorder: { record: store }, logger, registry, limits });
  const lost = async () => {
    const { values } = await registry.getSingleMetric('millrace_review_records_lost_total')!.get();
    const grown = values.filter(({ value }) => value > 0);
    return Object.fromEntries(
      grown.map(({ labels, value }) => [String(labels['reason']), value] as const),
    );
  };
  return { records, lost, logged };
}

it('drops and counts what a recorder that does not answer leaves no room for', async () => {
  const { records, lost } = recordsTo(() => new Promise(() => undefined));
  let made = 0;
  const make = () => {
    made += 1;
    return record;
  };
  for (let index = 0; index < 5; index += 1) records.take(10, make);
  expect(made).toBe(2);
  expect(await lost()).toEqual({ full: 3 });
});

it('drops and counts what is too large together', async () => {
  const { records, lost } = recordsTo(() => new Promise(() => undefined));
  records.take(60, () => record);
  records.take(60, () => record);
  expect(await lost()).toEqual({ full: 1 });
});

it('has room again once records are stored', async () => {
  let stored = 0;
  const { records, lost } = recordsTo(async () => void (stored += 1));
  for (let index = 0; index < 5; index += 1) {
    records.take(100, () => record);
    expect(await records.idleWithin(1_000)).toBe(true);
  }
  expect([stored, await lost()]).toEqual([5, {}]);
});

it('logs where an outage begins and where it ends, and counts each record of it', async () => {
  let isDown = true;
  const { records, lost, logged } = recordsTo(async () => {
    if (isDown) throw new Error('no store');
  });
  const takeOne = async () => {
    records.take(1, () => record);
    await settled();
  };
  await takeOne();
  await takeOne();
  isDown = false;
  await takeOne();
  await takeOne();
  expect(logged).toEqual(['reviews are not recorded', 'reviews are recorded again']);
  expect(await lost()).toEqual({ failed: 2 });
});
