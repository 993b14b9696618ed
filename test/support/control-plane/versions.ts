import { homedir } from 'node:os';
import { join } from 'node:path';

/** The versions that the suites are tested against. */
export const versions = {
  kubernetes: 'v1.36.3',
  etcd: 'v3.6.6',
  kwok: 'v0.8.0',
} as const;

export const kubernetesBinaries = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
] as const;

/** Further binaries of a node with containers. */
export const nodeBinaries = ['kubelet', 'kube-proxy'] as const;

export const binaryNames = [...kubernetesBinaries, 'etcd', 'kwok'] as const;

export type BinaryName = (typeof binaryNames)[number] | (typeof nodeBinaries)[number];

export function versionOf(name: BinaryName): string {
  return name === 'etcd' || name === 'kwok' ? versions[name] : versions.kubernetes;
}

/** A folder for anything built once; all checkouts share it. */
export function inCache(...path: readonly string[]): string {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(base, 'millrace', ...path);
}

/** The folder for built binaries; all checkouts with the same versions share it. */
export function cacheFolder(): string {
  const label = `kubernetes-${versions.kubernetes}_etcd-${versions.etcd}_kwok-${versions.kwok}`;
  return inCache('control-plane', label);
}
