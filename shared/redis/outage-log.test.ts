import { expect, it } from 'vitest';
import { outageLogOf } from './outage-log.ts';

function recording() {
  const lines: string[] = [];
  const note = (fields: object, message: string) =>
    lines.push(`${message} ${(fields as { address: string }).address}`);
  return { lines, log: { info: note, warn: note } };
}

const refused = new Error('ECONNREFUSED');

it('an outage is logged once for all connections to one server, and its end when all work', () => {
  const { lines, log } = recording();
  const [queue, journal] = [{}, {}];
  for (const connection of [queue, journal]) outageLogOf(log, 'a:1').failed(connection, refused);
  outageLogOf(log, 'a:1').works(queue);
  expect(lines).toEqual(['redis connection failed a:1']);
  outageLogOf(log, 'a:1').works(journal);
  expect(lines).toEqual(['redis connection failed a:1', 'redis connection is back a:1']);
});

it('says nothing of a connection that never failed, and keeps servers apart', () => {
  const { lines, log } = recording();
  outageLogOf(log, 'a:1').works({});
  outageLogOf(log, 'b:1').failed({}, refused);
  outageLogOf(log, 'a:1').failed({}, refused);
  expect(lines).toEqual(['redis connection failed b:1', 'redis connection failed a:1']);
});

it('waits for no connection that was closed during the outage', () => {
  const { lines, log } = recording();
  const [queue, journal] = [{}, {}];
  for (const connection of [queue, journal]) outageLogOf(log, 'a:1').failed(connection, refused);
  outageLogOf(log, 'a:1').closed(queue);
  expect(lines).toHaveLength(1);
  outageLogOf(log, 'a:1').works(journal);
  expect(lines.at(-1)).toBe('redis connection is back a:1');
});
