/** Suites that need a real part: they run if the machine provides it, and are skipped otherwise. */
import { describe, inject } from 'vitest';
import type { ClusterFacts } from './cluster-setup.ts';
import type {} from './redis-setup.ts';
import { type Kubectl, kubectlWith } from './control-plane/kubectl.ts';

export interface ClusterHandle extends ClusterFacts {
  /** As admin. */
  readonly kubectl: Kubectl;
  readonly kubectlAs: (user: string) => Kubectl;
  /** URL of the Redis beside the control plane. */
  readonly redisUrl: string;
}

/** For suites that are collected but never run, so its empty facts are not used. */
const nowhere: ClusterFacts = {
  server: '',
  caFile: '',
  kubeconfig: '',
  adminToken: '',
  auditLog: '',
  binaries: {
    etcd: '',
    kubectl: '',
    kwok: '',
    'kube-apiserver': '',
    'kube-controller-manager': '',
    'kube-scheduler': '',
  },
  tokens: {},
  kubeconfigs: {},
};

/** The handle of a control plane and its Redis. */
export function handleOf(facts: ClusterFacts, redisUrl: string): ClusterHandle {
  const kubectlAs = (user: string) => {
    const file = facts.kubeconfigs[user];
    if (file === undefined) throw new Error(`${user} is no user of this control plane`);
    return kubectlWith(facts.binaries.kubectl, file);
  };
  const kubectl = kubectlWith(facts.binaries.kubectl, facts.kubeconfig);
  return { ...facts, redisUrl, kubectl, kubectlAs };
}

/**
 * A suite against the project's shared control plane and its Redis (project `cluster`). Skipped if
 * the machine lacks one of them.
 */
export function describeWithCluster(name: string, body: (cluster: ClusterHandle) => void): void {
  const facts = inject('cluster');
  const redisUrl = inject('redisUrl');
  const missing = facts === undefined || redisUrl === undefined;
  const handle = handleOf(facts ?? nowhere, redisUrl ?? '');
  describe.skipIf(missing)(name, () => body(handle));
}

/** A suite against the project's shared Redis (projects `contract` and `cluster`). */
export function describeWithRedis(name: string, body: (redisUrl: string) => void): void {
  const url = inject('redisUrl');
  describe.skipIf(url === undefined)(name, () => body(url ?? ''));
}
