import { describe, expect, it } from 'vitest';
import { negotiate } from './accept.ts';
import { aggregatedVersion } from './aggregated-discovery.ts';

describe('an Accept header', () => {
  it.each([
    [undefined, { format: 'json' }],
    ['*/*', { format: 'json' }],
    ['application/yaml', { format: 'yaml' }],
    ['application/vnd.kubernetes.protobuf,application/json', { format: 'json' }],
    [
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
      { format: 'json', as: 'Table', version: 'v1' },
    ],
    ['application/json;as=Table;v=v2;g=meta.k8s.io,application/json', { format: 'json' }],
    ['application/yaml;q=0.5,application/json', { format: 'json' }],
  ])('%s is answered with %o', (header, expected) => {
    expect(negotiate(header)).toEqual(expected);
  });

  it.each([
    'text/html',
    'application/vnd.kubernetes.protobuf',
    'application/json;as=Foo;v=v1;g=meta.k8s.io',
  ])('%s is refused with 406', (header) => {
    expect(() => negotiate(header)).toThrow(expect.objectContaining({ code: 406 }));
  });

  it.each([
    [
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
      'v2',
    ],
    [
      'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
      undefined,
    ],
    ['application/json', undefined],
    [undefined, undefined],
  ])('%s gets discovery in version %s', (header, version) => {
    expect(aggregatedVersion(header)).toBe(version);
  });
});
