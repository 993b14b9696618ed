import { expect, it } from 'vitest';
import { stripMetadata } from './strip-metadata.ts';
import { job } from './testing/objects.ts';

const annotations = { team: 'a', 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
const managedFields = [{ manager: 'kubectl' }];

it.each([
  ['managedFields', { managedFields }, {}],
  ['the copy of kubectl', { annotations }, { annotations: { team: 'a' } }],
  ['both', { managedFields, annotations }, { annotations: { team: 'a' } }],
])('takes away %s and leaves the rest', (_, bulky, left) => {
  const object = job({ metadata: { labels: { x: 'y' }, ...bulky } });
  expect(stripMetadata(object)).toEqual(job({ metadata: { labels: { x: 'y' }, ...left } }));
});

it('gives the same object when there is nothing to take away', () => {
  const object = job({ metadata: { annotations: { team: 'a' } } });
  expect(stripMetadata(object)).toBe(object);
});
