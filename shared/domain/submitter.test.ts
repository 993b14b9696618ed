import { expect, it } from 'vitest';
import { annotations } from './labels.ts';
import { submitterOf, submitterText } from './submitter.ts';

const ann = {
  username: 'ann',
  uid: 'u-1',
  groups: ['team-a', 'system:authenticated'],
  extra: { 'example.com/z': ['1'], 'example.com/a': ['2', '3'] },
};
const recorded = (text: string) => submitterOf({ annotations: { [annotations.submitter]: text } });

it('a recorded submitter is read back whole', () => {
  expect(recorded(submitterText(ann))).toEqual(ann);
});

it('the order in which the API server names extra fields makes no difference', () => {
  const extra = Object.fromEntries(Object.entries(ann.extra).toReversed());
  expect(submitterText({ ...ann, extra })).toBe(submitterText(ann));
});

it('what a user does not have takes no room', () => {
  const text = submitterText({ username: 'bob', groups: [], extra: {} });
  expect(text).toBe('{"username":"bob"}');
  expect(recorded(text)).toEqual({ username: 'bob', groups: [], extra: {} });
});

it('without the annotation no submitter is recorded', () => {
  expect(submitterOf({})).toBeUndefined();
  expect(submitterOf({ annotations: { other: 'x' } })).toBeUndefined();
});

it.each([
  '',
  'ann',
  '[]',
  '{}',
  '{"username":""}',
  '{"username":"a","groups":"b"}',
  '{"username":"a","uid":1}',
  '{"username":"a","extra":{"k":"v"}}',
])('%j names no submitter, which is not the same as no annotation', (text) => {
  expect(recorded(text)).toBe('unknown');
});
