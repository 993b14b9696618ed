/** The manifests of DaemonJobs and nodes. */
import {
  asResourceVersion,
  asUid,
  type KubeObject,
  type NewObject,
} from '#shared/domain/objects.ts';
import { namespace } from '../flow-objects.ts';
import type { DaemonPlan } from './daemon-plans.ts';

export function daemonObject(plan: DaemonPlan): NewObject {
  const { name, exclude, parallelism, failurePolicy, completionPolicy, suspend } = plan;
  return {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'DaemonJob',
    metadata: { name, namespace },
    spec: {
      ...(exclude.length === 0 ? {} : { excludeNodeList: exclude.join(', ') }),
      ...(parallelism === undefined ? {} : { parallelism }),
      ...(failurePolicy === undefined ? {} : { failurePolicy }),
      ...(completionPolicy === undefined ? {} : { completionPolicy }),
      ...(suspend === undefined ? {} : { suspend }),
      template: { spec: { containers: [{ name: 'main', image: 'busybox' }] } },
    },
  };
}

/** As a kubelet reports it. */
export function nodeObject(name: string, machine: number, bornAt: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: asUid(`0000000${machine}-node-4000-8000-000000000000`.slice(-36)),
      resourceVersion: asResourceVersion(''),
      creationTimestamp: bornAt,
      labels: { 'kubernetes.io/hostname': name },
    },
    spec: {},
    status: readiness('True'),
  };
}

export function readiness(status: 'True' | 'Unknown'): KubeObject['status'] {
  return { conditions: [{ type: 'Ready', status }] };
}
