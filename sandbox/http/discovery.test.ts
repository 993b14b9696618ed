import { describe, expect, it } from 'vitest';
import { builtInTypes } from '../registry/built-in-types.ts';
import { comparedVersions, servedGroups, verbsOf } from './discovery.ts';
import { subresourcesOf } from './subresources.ts';

const types = builtInTypes().map(({ type }) => type);
const named = (plural: string) => types.find((type) => type.plural === plural)!;

describe('discovery', () => {
  it('prefers stable versions, then beta, then alpha, higher before lower', () => {
    const versions = ['v1alpha1', 'v2', 'foo', 'v1', 'v10', 'v1beta2', 'v2beta1', 'v11alpha2'];
    expect(versions.sort(comparedVersions)).toEqual([
      'v10',
      'v2',
      'v1',
      'v2beta1',
      'v1beta2',
      'v11alpha2',
      'v1alpha1',
      'foo',
    ]);
  });

  it('names every served type once, by group and version', () => {
    const groups = servedGroups(types);
    const served = groups.flatMap(({ versions }) => versions.flatMap((version) => version.types));
    expect(new Set(served)).toEqual(new Set(types));
    expect(served).toHaveLength(types.length);
  });

  it('offers no deletion of all namespaces at once', () => {
    expect(verbsOf(named('namespaces'))).not.toContain('deletecollection');
    expect(verbsOf(named('pods'))).toContain('deletecollection');
  });

  it('lists the kinds of subresources that are no Pods', () => {
    expect(subresourcesOf(named('pods'))).toEqual(
      expect.arrayContaining([
        { name: 'binding', kind: 'Binding', verbs: ['create'] },
        { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
        { name: 'log', kind: 'Pod', verbs: ['get'] },
      ]),
    );
  });
});
