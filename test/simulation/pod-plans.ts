/** The settings of steps for their Pods, and those that flows add: every combination of the two. */
import type { GlobalParams } from '#shared/api/global-params.ts';
import type { JobFlowSpec } from '#shared/api/job-flow.ts';
import type { PodTemplate } from '#shared/api/pod-template.ts';

/** Obstacles that keep a Pod from running: no node, no image, or no Pod is created. */
export const troubles = ['unschedulable', 'imagePull', 'noPod'] as const;

export type Trouble = (typeof troubles)[number];

export interface Hindrance {
  readonly kind: Trouble;
  /** Milliseconds. */
  readonly forMs: number;
}

/** Names of `podTemplates`. */
export const podPlans = ['plain', 'env', 'volumes', 'node', 'affinity', 'placedApart'] as const;

export type PodPlan = (typeof podPlans)[number];

/** The additions of a flow, each optional. */
export interface AdditionsPlan {
  readonly env?: true;
  readonly metadata?: true;
  readonly volumes?: true;
  readonly node?: 'Affinity' | 'Direct' | 'default';
}

const requiredKey = 'requiredDuringSchedulingIgnoredDuringExecution';
const inZone = [{ key: 'zone', operator: 'In', values: ['a'] }];
const notOnSpare = [{ key: 'metadata.name', operator: 'NotIn', values: ['spare'] }];

export function podTemplate(plan: PodPlan, image: string): PodTemplate {
  const main = { name: 'main', image };
  const plain = { containers: [main], restartPolicy: 'Never' };
  switch (plan) {
    case 'plain':
      return { spec: plain };
    case 'env':
      return {
        metadata: { labels: { team: 'own' }, annotations: { note: 'own' } },
        spec: {
          ...plain,
          initContainers: [{ name: 'prepare', image }],
          containers: [
            { ...main, env: [{ name: 'QUE', value: 'own' }] },
            { name: 'beside', image, env: [{ name: 'OWN', value: '$(FOO)' }] },
          ],
        },
      };
    case 'volumes':
      return {
        spec: {
          ...plain,
          volumes: [{ name: 'scratch', emptyDir: {} }],
          containers: [{ ...main, volumeMounts: [{ name: 'scratch', mountPath: '/shared' }] }],
          initContainers: [{ name: 'prepare', image }],
        },
      };
    case 'node':
      return { spec: { ...plain, nodeName: 'n2' } };
    case 'affinity': {
      const nodeSelectorTerms = [
        { matchExpressions: inZone },
        { matchExpressions: inZone, matchFields: notOnSpare },
      ];
      const nodeAffinity = { [requiredKey]: { nodeSelectorTerms } };
      return { spec: { ...plain, affinity: { nodeAffinity } } };
    }
    case 'placedApart': {
      const apart = { topologyKey: 'kubernetes.io/hostname', labelSelector: {} };
      return { spec: { ...plain, affinity: { podAntiAffinity: { [requiredKey]: [apart] } } } };
    }
  }
}

export function additions(plan: AdditionsPlan): Partial<JobFlowSpec> {
  const globalParams: GlobalParams = {
    ...(plan.env === undefined ? {} : { env }),
    ...(plan.metadata === undefined ? {} : metadata),
    ...(plan.node === undefined ? {} : { nodeName: 'n1' }),
    ...(plan.node === undefined || plan.node === 'default' ? {} : { nodeBinding: plan.node }),
  };
  return {
    ...(Object.keys(globalParams).length === 0 ? {} : { globalParams }),
    ...(plan.volumes === undefined ? {} : volumes),
  };
}

const env = [
  { name: 'FOO', value: 'bar' },
  { name: 'QUE', value: 'pasa' },
];

const metadata = {
  labels: { team: 'flow', stage: 'night' },
  annotations: { note: 'flow', 'example.com/cost': 'low' },
};

const volumes = {
  shareVolumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  shareVolumeMounts: [
    { name: 'data', mountPath: '/shared' },
    { name: 'data', mountPath: '/out', subPath: 'out' },
  ],
};
