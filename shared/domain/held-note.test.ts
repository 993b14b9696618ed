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

it.each(['', '{', '[]', '7', '{"policy":"a"}'])('says nothing of %j', (text) =>
  expect(wordsFor(text)).toBeUndefined(),
);

it('says nothing of what nobody holds', () => expect(heldWords({})).toBeUndefined());
