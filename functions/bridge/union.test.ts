import { expect, it } from 'vitest';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { inheritedNames } from '#shared/domain/testing/inherited-names.ts';
import { unionOf } from './union.ts';

const metadata = {
  name: 'etl-a',
  namespace: 'default',
  uid: asUid('uid-of-etl-a'),
  resourceVersion: asResourceVersion('5'),
};
const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata };

function keeping(part: object): (object: KubeObject) => KubeObject {
  return (object) => ({ ...object, ...part });
}

it('of one function, however often it is named, is that function', () => {
  const keep = keeping({});
  expect(unionOf([keep])).toBe(keep);
  expect(unionOf([keep, keep])).toBe(keep);
});

it('keeps what any of them keeps, at every depth', () => {
  const union = unionOf([
    keeping({ status: { phase: 'Running', since: { start: 't1' } } }),
    keeping({ spec: { nodeName: 'n1' }, status: { since: { end: 't2' } } }),
    keeping({ status: { reason: 'none' } }),
  ]);
  expect(union(pod)).toEqual({
    ...pod,
    spec: { nodeName: 'n1' },
    status: { phase: 'Running', since: { start: 't1', end: 't2' }, reason: 'none' },
  });
});

it('a part that one of them has cleared comes from the other', () => {
  const cleared = keeping({ spec: undefined, status: { phase: 'Running' } });
  const kept = keeping({ spec: { nodeName: 'n1' }, status: undefined });
  const both = { ...pod, spec: { nodeName: 'n1' }, status: { phase: 'Running' } };
  expect(unionOf([cleared, kept])(pod)).toEqual(both);
  expect(unionOf([kept, cleared])(pod)).toEqual(both);
});

it('of lists of one length unites item with item', () => {
  const left = keeping({ containers: [{ name: 'a' }, { name: 'b', image: 'x' }] });
  const right = keeping({ containers: [{ image: 'y' }, {}] });
  expect(unionOf([left, right])(pod)).toMatchObject({
    containers: [
      { name: 'a', image: 'y' },
      { name: 'b', image: 'x' },
    ],
  });
});

it('of a list that one of them has shortened keeps the longer one', () => {
  const short = keeping({ containers: [{ name: 'a' }] });
  const long = keeping({ containers: [{ name: 'a', image: 'x' }, { name: 'b' }] });
  const { containers } = long(pod) as unknown as { readonly containers: unknown };
  expect(unionOf([short, long])(pod)).toMatchObject({ containers });
  expect(unionOf([long, short])(pod)).toMatchObject({ containers });
});

it.each(inheritedNames)('keeps a label called %s that only one of them keeps', (name) => {
  const labels = Object.fromEntries([[name, 'x']]);
  const union = unionOf([keeping({ metadata }), keeping({ metadata: { ...metadata, labels } })]);
  expect(JSON.stringify(union(pod).metadata.labels)).toBe(JSON.stringify(labels));
});
