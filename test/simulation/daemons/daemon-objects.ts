/** The manifests of DaemonJobs and nodes. */
import {
  asResourceVersion,
  asUid,
  type JsonObject,
  type KubeObject,
  type NewObject,
} from '#shared/domain/objects.ts';
import { namespace } from '../flow-objects.ts';
import type { DaemonPlan } from './daemon-plans.ts';

/** Keeps Pods without a toleration away. */
export const taint = { key: 'example.com/maintenance', effect: 'NoSchedule' };
/** Half of the machines are in `a`, the others in `b`. */
export const zone = 'example.com/zone';

export function zoneOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[zone];
}

export function daemonObject(plan: DaemonPlan): NewObject {
  const { name, exclude, parallelism, failurePolicy, completionPolicy, suspend } = plan;
  const { ttlSeconds, deadlineSeconds, eligibility, allowEmpty, adds, shutdown } = plan;
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
      ...(ttlSeconds === undefined ? {} : { ttlSecondsAfterFinished: ttlSeconds }),
      ...(deadlineSeconds === undefined ? {} : { activeDeadlineSeconds: deadlineSeconds }),
      ...(shutdown === undefined ? {} : { shutdown }),
      ...(eligibility === undefined ? {} : { eligibility }),
      ...(allowEmpty === undefined ? {} : { allowEmpty }),
      ...(adds === undefined ? {} : { globalParams: additions }),
      template: { spec: podOf(plan) },
    },
  };
}

const additions = {
  labels: { team: 'search' },
  annotations: { note: 'from the DaemonJob' },
  env: [{ name: 'FOO', value: 'bar' }],
};

function podOf({ selects, tolerates }: DaemonPlan): JsonObject {
  return {
    ...(selects === undefined ? {} : { nodeSelector: { [zone]: 'a' } }),
    ...(tolerates === undefined ? {} : { tolerations: [{ key: taint.key, operator: 'Exists' }] }),
    containers: [{ name: 'main', image: 'busybox' }],
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
      labels: { 'kubernetes.io/hostname': name, [zone]: machine % 2 === 0 ? 'b' : 'a' },
    },
    spec: {},
    status: readiness('True'),
  };
}

export function readiness(status: 'True' | 'Unknown'): KubeObject['status'] {
  return { conditions: [{ type: 'Ready', status }] };
}
