import { expect, it } from 'vitest';
import { asEventId, asUid } from '#shared/domain/objects.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { createRefusals, type Refusals, type Told } from './refusals.ts';

const refusal = new Error('a subscriber fails');
type Answer = Error | 'unreachable' | undefined;

function told(name: string, cause = '1'): Told {
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

it('does not tell again what is taken', async () => {
  const { clock, sent, logged, refusals } = refusalsOver();
  await refusals.tell(told('a'));
  await clock.advance(100);
  expect(sent).toEqual(['0 a 1']);
  expect([clock.sleepers(), logged]).toEqual([0, []]);
});

it('fails where nobody can be reached, and does not tell that again', async () => {
  const { clock, sent, refusals } = refusalsOver('unreachable');
  await expect(refusals.tell(told('a'))).rejects.toBe(refusal);
  await clock.advance(100);
  expect(sent).toEqual(['0 a 1']);
});

it('tells again what is refused, after a while that grows, until it is taken', async () => {
  const { clock, sent, logged, refusals } = refusalsOver(refusal, 'unreachable');
  await refusals.tell(told('a'));
  await clock.advance(9);
  expect(sent).toEqual(['0 a 1']);
  await clock.advance(1);
  await clock.advance(20);
  await clock.advance(100);
  expect(sent).toEqual(['0 a 1', '10 a 1', '30 a 1']);
  expect(logged).toEqual(['the sink refuses an event', 'the sink has taken what it refused']);
});

it('leaves to the sweep what is refused to the end, and says how much', async () => {
  const { clock, sent, logged, refusals } = refusalsOver(refusal, refusal, refusal);
  await refusals.tell(told('a'));
  await clock.advance(10);
  await clock.advance(20);
  await clock.advance(100);
  expect(sent).toHaveLength(3);
  expect(logged).toEqual([
    'the sink refuses an event',
    'the sink did not take events; the next sweep sends them again',
  ]);
});

it('does not tell again what a later one of the same object speaks for', async () => {
  const { clock, sent, logged, refusals } = refusalsOver(refusal, undefined);
  await refusals.tell(told('a'));
  await refusals.tell(told('a', '2'));
  await clock.advance(100);
  expect(sent).toEqual(['0 a 1', '0 a 2']);
  expect(logged.at(-1)).toBe('the sink has taken what it refused');
});

it('tells again the later one alone where both are refused', async () => {
  const { clock, sent, refusals } = refusalsOver(refusal, refusal);
  await refusals.tell(told('a'));
  await refusals.tell(told('a', '2'));
  await clock.advance(10);
  expect(sent).toEqual(['0 a 1', '0 a 2', '10 a 2']);
});

it('logs once while others are refused too', async () => {
  const { clock, logged, refusals } = refusalsOver(refusal, refusal);
  await refusals.tell(told('a'));
  await refusals.tell(told('b'));
  expect(logged).toEqual(['the sink refuses an event']);
  await clock.advance(10);
  expect(logged.slice(1)).toEqual(['the sink has taken what it refused']);
});

it('tells nothing again once it is closed', async () => {
  const { clock, sent, refusals } = refusalsOver(refusal);
  await refusals.tell(told('a'));
  await refusals.close();
  await clock.advance(100);
  expect(sent).toEqual(['0 a 1']);
});
