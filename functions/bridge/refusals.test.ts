import { expect, it } from 'vitest';
import { asEventId, asUid } from '#shared/domain/objects.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { createRefusals, type Refusals, type SinkItem } from './refusals.ts';

const refusal = new Error('a subscriber fails');
type Answer = Error | 'unreachable' | undefined;

function sinkItem(name: string, cause = '1'): SinkItem {
  const key = { apiVersion: 'v1', kind: 'Job', namespace: 'default', name, uid: asUid(name) };
  return { item: { function: 'flow-advance', key, cause: asEventId(cause) }, occasion: undefined };
}

/** `answers` to the items sent, in order. Later items are accepted. */
function refusalsOver(...answers: Answer[]) {
  const clock = virtualClock();
  const sent: string[] = [];
  const logged: string[] = [];
  const log = (_: unknown, message: string) => void logged.push(message);
  const refusals: Refusals = createRefusals({
    clock,
    logger: { info: log, warn: log } as never,
    againAfterMs: [10, 20],
    send: ({ item }) => {
      sent.push(`${clock.now()} ${item.key.name} ${item.cause}`);
      const answer = answers.shift();
      return answer === 'unreachable' ? Promise.reject(refusal) : Promise.resolve(answer);
    },
  });
  return { clock, sent, logged, refusals };
}

it('an accepted item is not sent again', async () => {
  const { clock, sent, logged, refusals } = refusalsOver();
  await refusals.send(sinkItem('a'));
  await clock.advance(100);
  expect(sent).toEqual(['0 a 1']);
  expect([clock.sleepers(), logged]).toEqual([0, []]);
});

it('sending fails while the sink is unreachable, and the item is not sent again', async () => {
  const { clock, sent, refusals } = refusalsOver('unreachable');
  await expect(refusals.send(sinkItem('a'))).rejects.toBe(refusal);
  await clock.advance(100);
  expect(sent).toEqual(['0 a 1']);
});

it('a refused item is sent again at growing intervals until it is accepted', async () => {
  const { clock, sent, logged, refusals } = refusalsOver(refusal, 'unreachable');
  await refusals.send(sinkItem('a'));
  await clock.advance(9);
  expect(sent).toEqual(['0 a 1']);
  await clock.advance(1);
  await clock.advance(20);
  await clock.advance(100);
  expect(sent).toEqual(['0 a 1', '10 a 1', '30 a 1']);
  expect(logged).toEqual(['the sink refuses an event', 'the sink has taken what it refused']);
});

it('items that are refused to the end are left to the sweep, and the log says how many', async () => {
  const { clock, sent, logged, refusals } = refusalsOver(refusal, refusal, refusal);
  await refusals.send(sinkItem('a'));
  await clock.advance(10);
  await clock.advance(20);
  await clock.advance(100);
  expect(sent).toHaveLength(3);
  expect(logged).toEqual([
    'the sink refuses an event',
    'the sink did not take events; the next sweep sends them again',
  ]);
});

it('an accepted later item of the same object replaces a refused one', async () => {
  const { clock, sent, logged, refusals } = refusalsOver(refusal, undefined);
  await refusals.send(sinkItem('a'));
  await refusals.send(sinkItem('a', '2'));
  await clock.advance(100);
  expect(sent).toEqual(['0 a 1', '0 a 2']);
  expect(logged.at(-1)).toBe('the sink has taken what it refused');
});

it('of two refused items of an object only the later one is sent again', async () => {
  const { clock, sent, refusals } = refusalsOver(refusal, refusal);
  await refusals.send(sinkItem('a'));
  await refusals.send(sinkItem('a', '2'));
  await clock.advance(10);
  expect(sent).toEqual(['0 a 1', '0 a 2', '10 a 2']);
});

it('the log has one line for several refused items', async () => {
  const { clock, logged, refusals } = refusalsOver(refusal, refusal);
  await refusals.send(sinkItem('a'));
  await refusals.send(sinkItem('b'));
  expect(logged).toEqual(['the sink refuses an event']);
  await clock.advance(10);
  expect(logged.slice(1)).toEqual(['the sink has taken what it refused']);
});

it('nothing is sent again after the close', async () => {
  const { clock, sent, refusals } = refusalsOver(refusal);
  await refusals.send(sinkItem('a'));
  await refusals.close();
  await clock.advance(100);
  expect(sent).toEqual(['0 a 1']);
});
