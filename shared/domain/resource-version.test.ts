import { describe, expect, it } from 'vitest';
import { asResourceVersion } from '#shared/domain/objects.ts';
import { compareVersions, isKnownBy, isNewer } from './resource-version.ts';

const signs = (a: string, b: string) => {
  const [left, right] = [asResourceVersion(a), asResourceVersion(b)];
  const order = compareVersions(left, right);
  return [
    order === undefined ? undefined : Math.sign(order),
    isNewer(left, right),
    isKnownBy(left, right),
  ];
};

describe('versions of a resource', () => {
  it.each([
    ['9', '10', -1],
    ['10', '9', 1],
    ['19', '20', -1],
    ['0', '1', -1],
    ['7', '7', 0],
    ['x7', 'x7', 0],
    ['900719925474099267890', '900719925474099267891', -1],
  ])('compare as decimal numbers of any length: %s with %s', (a, b, order) => {
    expect(signs(a, b)).toEqual([order, order > 0, order <= 0]);
  });

  it.each([
    ['x', '7'],
    ['7', 'x'],
    ['x', 'y'],
    ['07', '8'],
    ['8', '07'],
    ['', '7'],
    ['-1', '7'],
    ['7', '8 '],
  ])('do not compare unless both are decimal numbers: %j with %j', (a, b) => {
    expect(signs(a, b)).toEqual([undefined, false, false]);
  });
});
