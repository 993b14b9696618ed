/** The objects in the API server, and the same as a view shows them. */
import { annotations, labels } from '#shared/domain/labels.ts';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { observe } from '../observe.ts';
import type { FlowSnapshot } from '../snapshot.ts';
import { at, busybox, flowUid } from './builders.ts';
import type { ModelCluster } from './model-cluster.ts';

export async function seen(cluster: ModelCluster, nowMs?: number): Promise<FlowSnapshot> {
  const snapshot = await observe(cluster.key, cluster, { nowMs });
  if (snapshot === undefined) throw new Error('the flow is not seen');
  return snapshot;
}

export function storedJob(name: string, owner: string = flowUid): KubeObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: 'default',
      uid: asUid(`uid-${name}`),
      resourceVersion: asResourceVersion('1'),
      creationTimestamp: at(0),
      labels: { [labels.step]: 'a', app: 'x' },
      annotations: { [annotations.templateHash]: 'h', note: 'x' },
      ownerReferences: [
        { apiVersion: 'x', kind: 'JobFlow', name: 'etl', uid: asUid(owner), controller: true },
      ],
    },
    spec: { suspend: true, ttlSecondsAfterFinished: 5, template: {} },
    status: {
      startTime: at(1),
      completionTime: at(2),
      conditions: [
        { type: 'Complete', status: 'True', lastTransitionTime: at(2) },
        'nonsense',
        { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' },
      ],
    },
  };
}

export function storedTemplate(name: string): KubeObject {
  return {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobTemplate',
    metadata: {
      name,
      uid: asUid(`uid-${name}`),
      resourceVersion: asResourceVersion('1'),
      generation: 3,
    },
    spec: { jobTemplate: busybox },
  };
}
