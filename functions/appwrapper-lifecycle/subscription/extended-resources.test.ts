import { expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { extendedPartsOf, extendedResourcesOf } from './extended-resources.ts';

const wants = (requests: JsonObject, limits?: JsonObject): JsonObject => ({
  ...{ name: 'main', image: 'busybox' },
  resources: { requests, ...(limits === undefined ? {} : { limits }) },
});

it.each<[string, readonly JsonObject[], readonly string[]]>([
  ['none', [], []],
  ['none of one that says nothing', [{ name: 'main' }], []],
  ['neither CPU nor memory', [wants({ cpu: '1', memory: '1Gi' })], []],
  ['those that are requested', [wants({ cpu: '1', 'nvidia.com/gpu': '2' })], ['nvidia.com/gpu']],
  ['those that are limited', [wants({}, { 'amd.com/gpu': 1 })], ['amd.com/gpu']],
  [
    'those of all containers, each once',
    [wants({ 'a.io/x': 1 }), wants({ 'b.io/y': '500m' }, { 'a.io/x': 1 })],
    ['a.io/x', 'b.io/y'],
  ],
  ['none of which there are to be none', [wants({ 'a.io/x': '0', 'b.io/y': 0 })], []],
  ['none whose amount is no quantity', [wants({ 'a.io/x': 'many', 'b.io/y': null })], []],
])('the extended resources of containers are %s', (_, containers, names) => {
  expect([...extendedResourcesOf(containers)]).toEqual(names);
});

it('nothing is kept of containers that want no extended resource', () => {
  expect(extendedPartsOf([wants({ cpu: '1' }), {}])).toEqual([]);
  expect(extendedPartsOf(undefined)).toEqual([]);
});

it('of containers are kept their names and what they want of extended resources, in their places', () => {
  const containers = [
    wants({ cpu: '1' }),
    { image: 'busybox' },
    wants({ cpu: '1', 'a.io/x': 1 }, { memory: '1Gi', 'a.io/x': 1, 'b.io/y': 2 }),
    wants({ 'a.io/x': 1 }, { cpu: '1' }),
  ];
  expect(extendedPartsOf(containers)).toStrictEqual([
    { name: 'main' },
    {},
    {
      name: 'main',
      resources: { requests: { 'a.io/x': 1 }, limits: { 'a.io/x': 1, 'b.io/y': 2 } },
    },
    { name: 'main', resources: { requests: { 'a.io/x': 1 } } },
  ]);
});
