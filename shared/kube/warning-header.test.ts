import { expect, it } from 'vitest';
import { warningTexts } from './warning-header.ts';

const unknown = '299 - "unknown field \\"spec.a\\""';

it.each([
  ['nothing', undefined, []],
  ['one header', unknown, ['unknown field "spec.a"']],
  ['two headers', [unknown, '299 - "b"'], ['unknown field "spec.a"', 'b']],
  ['two in one header', `${unknown}, 299 - "b, c"`, ['unknown field "spec.a"', 'b, c']],
  ['a date behind it', '299 - "b" "Wed, 21 Oct 2015 07:28:00 GMT"', ['b']],
  ['a backslash', '299 - "a\\\\b"', ['a\\b']],
  ['another code', '110 - "response is stale"', []],
  ['no warning at all', 'x', []],
])('reads %s', (_, header, texts) => {
  expect(warningTexts(header)).toEqual(texts);
});

// Quadratic time would exceed the timeout of a test.
it('takes linear time on what never ends', () => {
  expect(warningTexts(`299 - "${'\\"'.repeat(1_000_000)}`)).toEqual([]);
});
