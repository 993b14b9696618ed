import { expect, it } from 'vitest';
import { heldWords } from './held-note.ts';
import { annotations } from './labels.ts';

const wordsFor = (text: string) => heldWords({ annotations: { [annotations.held]: text } });

it('says which policy holds an object, why and until when', () => {
  const note = { policy: 'SuspendPolicy/team/nights', reason: 'WindowClosed', since: 'x' };
  const words = 'held by SuspendPolicy/team/nights (WindowClosed)';
  expect(wordsFor(JSON.stringify(note))).toBe(words);
  expect(wordsFor(JSON.stringify({ ...note, until: '2026-01-05T20:00:00Z' }))).toBe(
    `${words} until 2026-01-05T20:00:00Z`,
  );
});

const written = { policy: 'SuspendPolicy/team/nights', reason: 'WindowClosed', since: 'x' };

it.each([
  ['', 'an empty note'],
  ['{', 'a note that is no JSON'],
  ['[]', 'a list'],
  ['7', 'a number'],
  ['{"policy":"a"}', 'a note without a reason'],
  [JSON.stringify({ ...written, policy: 7 }), 'a policy that is a number'],
  [JSON.stringify({ ...written, policy: 'x'.repeat(100_000) }), 'a policy of 100,000 letters'],
  [JSON.stringify({ ...written, policy: 'SuspendPolicy/a/b\nc' }), 'a policy of two lines'],
  [JSON.stringify({ ...written, reason: 'Whatever' }), 'a reason that no policy has'],
])('repeats nothing of %j: %s', (text) => expect(wordsFor(text)).toBeUndefined());

it('leaves out an end that is no time', () =>
  expect(wordsFor(JSON.stringify({ ...written, until: 'x'.repeat(100_000) }))).toBe(
    'held by SuspendPolicy/team/nights (WindowClosed)',
  ));

it('an object that is not held has no words', () => expect(heldWords({})).toBeUndefined());
