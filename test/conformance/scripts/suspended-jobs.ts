/** Permitted changes of a suspended Job before it runs (KEP-2926, KEP-5440). */
import type { JsonObject } from '#shared/domain/objects.ts';
import { family } from '../harness/script.ts';
import type { Seen, Session } from '../harness/session.ts';
import { busybox, ending, job, restingJob } from './samples.ts';

const asking = (cpu: string): JsonObject => ({
  ...busybox,
  resources: { requests: { cpu }, limits: { cpu: '4' } },
});

const term = (value: string): JsonObject => ({
  nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [value] }] }],
});
const nodeAffinity = (zone: string): JsonObject => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: term(zone) },
});
const podAffinity: JsonObject = {
  podAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: { a: 'b' } }, topologyKey: 'zone' },
    ],
  },
};

/** The template of the Job, and a change of it. */
const templates: Readonly<Record<string, readonly [JsonObject, JsonObject]>> = {
  'the requests of a container': [{}, { spec: { containers: [asking('2')] } }],
  'the requests of an init container': [
    { initContainers: [{ ...busybox, name: 'first' }] },
    { spec: { initContainers: [{ ...asking('2'), name: 'first' }] } },
  ],
  'requests over their limit': [{}, { spec: { containers: [asking('8')] } }],
  'a quantity that is none': [{}, { spec: { containers: [asking('much')] } }],
  'the resources of a container of another name': [
    {},
    { spec: { containers: [{ ...asking('2'), name: 'other' }] } },
  ],
  'the image with the requests': [
    {},
    { spec: { containers: [{ ...asking('2'), image: 'other' }] } },
  ],
  'the environment': [
    {},
    { spec: { containers: [{ ...busybox, env: [{ name: 'A', value: 'b' }] }] } },
  ],
  'the number of containers': [
    {},
    { spec: { containers: [busybox, { ...busybox, name: 'second' }] } },
  ],
  'the service account': [{}, { spec: { serviceAccountName: 'other' } }],
  'the priority class': [{}, { spec: { priorityClassName: 'system-node-critical' } }],
  'the node selector': [{}, { spec: { nodeSelector: { zone: 'a' } } }],
  tolerations: [{}, { spec: { tolerations: [{ key: 'a', operator: 'Exists' }] } }],
  'scheduling gates': [
    { schedulingGates: [{ name: 'x.test/gate' }] },
    { spec: { schedulingGates: [] } },
  ],
  'an affinity to nodes that is new': [{}, { spec: { affinity: nodeAffinity('a') } }],
  'an affinity to nodes that was there': [
    { affinity: nodeAffinity('a') },
    { spec: { affinity: nodeAffinity('b') } },
  ],
  'an affinity to nodes that goes': [{ affinity: nodeAffinity('a') }, { spec: { affinity: null } }],
  'an affinity to Pods that is new': [{}, { spec: { affinity: podAffinity } }],
  'an affinity to Pods that goes': [
    { affinity: { ...nodeAffinity('a'), ...podAffinity } },
    { spec: { affinity: null } },
  ],
  'an affinity to nodes beside one to Pods': [
    { affinity: podAffinity },
    { spec: { affinity: nodeAffinity('a') } },
  ],
  'labels of the Pods': [{}, { metadata: { labels: { mine: 'yes' } } }],
  'labels of the Pods that are none': [{}, { metadata: { labels: { mine: 'no, this is not' } } }],
  'the label of its uid': [{}, { metadata: { labels: { 'controller-uid': 'other' } } }],
  'annotations of the Pods': [{}, { metadata: { annotations: { mine: 'yes' } } }],
};

const suspended = (spec: JsonObject = {}): JsonObject => ({
  suspend: true,
  template: { spec: { restartPolicy: 'Never', containers: [busybox], ...spec } },
});

const changes = Object.fromEntries(
  Object.entries(templates).map(([what, [spec, template]]) => [
    `a change of ${what}`,
    async (s: Session) => {
      await s.create(restingJob('a', suspended(spec)));
      await s.patch('Job', 'a', 'merge', { spec: { template } });
    },
  ]),
);

interface Status {
  readonly active?: number;
  readonly ready?: number;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

const statusOf = (it: Seen | undefined): Status => (it?.status ?? {}) as Status;

const isTold = (it: Seen | undefined): boolean =>
  statusOf(it).conditions?.some(({ type, status }) => type === 'Suspended' && status === 'True') ===
  true;

const place = { spec: { template: { spec: { nodeSelector: { zone: 'a' } } } } };
const size = { spec: { template: { spec: { containers: [asking('2')] } } } };

const startTime = '2026-01-01T00:00:00Z';
const suspendedCondition = {
  type: 'Suspended',
  status: 'True',
  reason: 'JobSuspended',
  message: 'Job suspended',
  lastProbeTime: startTime,
  lastTransitionTime: startTime,
};

export const suspendedJobScripts = family('suspended jobs', {
  ...changes,
  'a Job changes as it is resumed': async (s) => {
    await s.create(restingJob('a', suspended()));
    await s.patch('Job', 'a', 'merge', { spec: { suspend: false, ...size.spec } });
    await s.patch('Job', 'a', 'merge', place);
  },
  'a Job does not change as it is suspended': async (s) => {
    await s.create(restingJob('a'));
    await s.patch('Job', 'a', 'merge', { spec: { suspend: true, ...place.spec } });
  },
  'a Job that ran may change when its suspension is reported': async (s) => {
    await s.create(restingJob('a'));
    await s.patch('Job', 'a', 'merge', { status: { startTime, active: 1 } }, { sub: 'status' });
    await s.patch('Job', 'a', 'merge', { spec: { suspend: true } });
    await s.patch('Job', 'a', 'merge', place);
    await s.patch('Job', 'a', 'merge', { status: { active: null } }, { sub: 'status' });
    await s.patch('Job', 'a', 'merge', place);
    await s.patch(
      'Job',
      'a',
      'merge',
      { status: { conditions: [suspendedCondition] } },
      { sub: 'status' },
    );
    await s.patch('Job', 'a', 'merge', place);
    await s.patch('Job', 'a', 'merge', size);
    await s.patch('Job', 'a', 'merge', { status: { active: 1 } }, { sub: 'status' });
    await s.patch('Job', 'a', 'merge', {
      spec: { template: { spec: { nodeSelector: { zone: 'b' } } } },
    });
  },
  'a Job that was suspended as it ran goes on with other requests': async (s) => {
    await s.create(job('a', { template: ending(60, 0) }));
    await s.until('Job', 'a', (it) => statusOf(it).ready === 1);
    await s.aside('PATCH', s.path('Job', 'a'), {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { suspend: true } },
    });
    await s.until('Job', 'a', (it) => isTold(it) && statusOf(it).active === undefined);
    const { code } = await s.aside('PATCH', s.path('Job', 'a'), {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { suspend: false, ...size.spec } },
    });
    s.note('code', code);
    await s.until('Job', 'a', (it) => statusOf(it).ready === 1);
    const { body } = await s.aside('GET', s.path('Pod'));
    const pods = (body.items ?? []).filter(
      ({ metadata }) => metadata['deletionTimestamp'] === undefined,
    );
    const requests = pods.map(({ spec }) => {
      const [container] = spec?.['containers'] as { resources: { requests?: unknown } }[];
      return container?.resources.requests;
    });
    s.note('requests', requests);
    await s.aside('DELETE', s.path('Job', 'a'), { query: { propagationPolicy: 'Background' } });
  },
});
