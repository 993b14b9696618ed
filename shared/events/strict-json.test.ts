import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseStrictJson } from './strict-json.ts';

const parse = (text: string) => parseStrictJson(Buffer.from(text), 'the data');

it('reads what JSON.parse reads, however it is laid out', () => {
  const indent = fc.constantFrom('', ' ', '\t', '\n  ');
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), indent, (value, space) => {
      const text = JSON.stringify(value, null, space);
      fc.pre(!text.includes('__proto__'));
      expect(parse(text)).toEqual(JSON.parse(text));
    }),
  );
});

it('refuses a member that is given twice in one object, wherever that is', () => {
  const nesting = fc.array(fc.constantFrom('[1,', '{"a":', '{"x":[],"a":', '["{\\"",'));
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), nesting, (name, outer) => {
      fc.pre(name !== '__proto__' && name !== 'between');
      const twice = `{${JSON.stringify(name)}:1,"between":{"":[0]},${JSON.stringify(name)}:1}`;
      const close = outer.map((text) => (text.startsWith('[') ? ']' : '}')).toReversed();
      expect(() => parse(outer.join('') + twice + close.join(''))).toThrow('twice');
    }),
  );
});

it.each(['{"a":1,"\\u0061":2}', '{"a\\"b":1,"a\\u0022b":2}', '{"a":{"b":1},"a":{}}'])(
  'refuses a member that is only written in another way: %s',
  (text) => {
    expect(() => parse(text)).toThrow('twice');
  },
);

it.each(['{"a":{"a":{"a":1}}}', '[{"a":1},{"a":1}]', '{"a":"a","b":"a"}', '{"a":["a","a"],"b":1}'])(
  'takes the same name in different objects, and as a value: %s',
  (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  },
);
