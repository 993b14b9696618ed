import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSeal, placeOf } from './seal.ts';

const key = randomBytes(32);
const other = randomBytes(32);
const seal = createSeal(() => [key], 'cluster-1');
const place = placeOf('flow-1', 'jobs.batch/j1', '7');
const content = JSON.stringify({ secret: 'canary', text: 'ünïcode' });

describe('the seal of an entry', () => {
  it('gives back what it was closed with', () => {
    expect(seal.open(seal.close(content, place), place)).toBe(content);
  });

  it('shows nothing of the content', () => {
    const sealed = seal.close(content, place);
    expect(Buffer.from(sealed, 'base64').includes('canary')).toBe(false);
    expect(seal.close(content, place)).not.toBe(sealed);
  });

  it('opens nowhere else, under no other key, and for no other cluster', () => {
    const sealed = seal.close(content, place);
    expect(seal.open(sealed, placeOf('flow-2', 'jobs.batch/j1', '7'))).toBeUndefined();
    expect(seal.open(sealed, placeOf('flow-1', 'jobs.batch/j1', '8'))).toBeUndefined();
    expect(createSeal(() => [other], 'cluster-1').open(sealed, place)).toBeUndefined();
    expect(createSeal(() => [key], 'cluster-2').open(sealed, place)).toBeUndefined();
  });

  it('opens with each of the keys while one replaces the other', () => {
    const sealed = seal.close(content, place);
    expect(createSeal(() => [other, key], 'cluster-1').open(sealed, place)).toBe(content);
  });

  it.each([0, 11, 12, 27, 28, 40])('is broken by a change of byte %i', (at) => {
    const bytes = Buffer.from(seal.close(content, place), 'base64');
    bytes[at]! ^= 1;
    expect(seal.open(bytes.toString('base64'), place)).toBeUndefined();
  });

  it.each(['', 'x', '{}', Buffer.alloc(28).toString('base64')])('is not %j', (sealed) => {
    expect(seal.open(sealed, place)).toBeUndefined();
  });

  it('closes nothing without a key', () => {
    expect(() => createSeal(() => [], 'c').close('x', place)).toThrow('no key');
  });
});
