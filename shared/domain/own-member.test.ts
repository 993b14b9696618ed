import { expect, it } from 'vitest';
import { membersOf } from './json-value.ts';
import { applyMergePatch, jsonEqual, mergePatch } from './merge-patch.ts';
import type { JsonObject } from './objects.ts';
import { ownMember, setOwnMember } from './own-member.ts';
import { inheritedNames } from './testing/inherited-names.ts';

/** Builds the object as a parser does, with `__proto__` as a plain member. */
const parsed = (name: string, value: string): JsonObject =>
  JSON.parse(`{"${name}":${JSON.stringify(value)}}`) as JsonObject;

it.each(inheritedNames)('a member called %s is found only where the object has it', (name) => {
  expect(ownMember({}, name)).toBeUndefined();
  expect(ownMember(undefined, name)).toBeUndefined();
  expect(ownMember(parsed(name, 'x'), name)).toBe('x');
});

it.each(inheritedNames)('a member called %s is set as a member', (name) => {
  const object: Record<string, string> = {};
  setOwnMember(object, name, 'x');
  expect(JSON.stringify(object)).toBe(JSON.stringify(parsed(name, 'x')));
});

it.each(inheritedNames)('a merge patch adds, changes and removes the member %s', (name) => {
  const [one, two] = [parsed(name, '1'), parsed(name, '2')];
  for (const [from, to] of [
    [{}, one],
    [one, two],
    [two, {}],
  ] as const) {
    const patch = mergePatch(from, to) ?? {};
    expect(Object.keys(patch)).toEqual([name]);
    expect(JSON.stringify(applyMergePatch(from, patch))).toBe(JSON.stringify(to));
  }
});

it.each(inheritedNames)('an object with the member %s differs from one without it', (name) => {
  const inherited = Reflect.get({}, name) as unknown;
  expect(jsonEqual({}, parsed(name, 'x'))).toBe(false);
  expect(jsonEqual(Object.fromEntries([[name, inherited]]), {})).toBe(false);
});

it.each(inheritedNames)('a projection keeps the member %s', (name) => {
  const object = parsed(name, 'x');
  expect(JSON.stringify(membersOf(object, () => true))).toBe(JSON.stringify(object));
});
