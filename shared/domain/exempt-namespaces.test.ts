import { expect, it } from 'vitest';
import { exemptNamespaces } from './exempt-namespaces.ts';

const ofTheCluster = ['kube-system', 'kube-node-lease', 'kube-public'];

it('exempts the namespaces of the cluster and that of Millrace', () => {
  expect(exemptNamespaces({})).toEqual(ofTheCluster);
  expect(exemptNamespaces({ own: 'millrace' })).toEqual([...ofTheCluster, 'millrace']);
  expect(exemptNamespaces({ own: 'kube-system' })).toEqual(ofTheCluster);
});

it('exempts no namespace that is the only one to be served', () => {
  expect(exemptNamespaces({ own: 'team-a', served: 'team-a' })).toEqual(ofTheCluster);
  expect(exemptNamespaces({ served: 'kube-public' })).toEqual(['kube-system', 'kube-node-lease']);
});
