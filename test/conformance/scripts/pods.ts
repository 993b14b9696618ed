/** Pods: their defaults, bindings, evictions and ends. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { family } from '../harness/script.ts';
import type { Seen, Session } from '../harness/session.ts';
import { pod } from './samples.ts';

const bindTo = (s: Session, name: string, node: string) =>
  s.call('POST', s.path('Pod', name, { sub: 'binding' }), {
    body: {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    },
  });

const ending = (seconds: number, exitCode: number) => ({
  annotations: {
    'simulate.millrace.dev/run-for': `${seconds}s`,
    'simulate.millrace.dev/exit-code': String(exitCode),
    'sandbox.millrace.dev/run-seconds': String(seconds),
    'sandbox.millrace.dev/exit-code': String(exitCode),
  },
});

const phaseOf = (it: Seen | undefined) => (it?.status as { phase?: string } | undefined)?.phase;

function outcome(it: Seen | undefined): unknown {
  const {
    phase,
    containerStatuses = [],
    conditions = [],
  } = it?.status as {
    phase: string;
    containerStatuses?: { state: { terminated?: { exitCode: number } } }[];
    conditions?: { type: string; status: string }[];
  };
  return {
    phase,
    exitCodes: containerStatuses.map(({ state }) => state.terminated?.exitCode),
    conditions: conditions.map(({ type, status }) => `${type} ${status}`).sort(),
  };
}

const specs: Readonly<Record<string, JsonObject>> = {
  'an image without a tag': { containers: [{ name: 'a', image: 'busybox' }] },
  'an image with a tag': { containers: [{ name: 'a', image: 'busybox:1.36' }] },
  'an image with a digest': {
    containers: [{ name: 'a', image: `busybox@sha256:${'a'.repeat(64)}` }],
  },
  'an image that is latest': {
    containers: [{ name: 'a', image: 'registry.test:5000/busybox:latest' }],
  },
  'requests and limits': {
    containers: [{ name: 'a', image: 'b', resources: { limits: { cpu: '1', memory: '1Gi' } } }],
  },
  'only requests': {
    containers: [{ name: 'a', image: 'b', resources: { requests: { cpu: '100m' } } }],
  },
  'a port': { containers: [{ name: 'a', image: 'b', ports: [{ containerPort: 80 }] }] },
  'init containers': {
    initContainers: [{ name: 'i', image: 'b' }],
    containers: [{ name: 'a', image: 'b' }],
  },
  'a probe': { containers: [{ name: 'a', image: 'b', livenessProbe: { httpGet: { port: 80 } } }] },
  volumes: {
    volumes: [
      { name: 'v', emptyDir: {} },
      { name: 'c', configMap: { name: 'x' } },
      { name: 's', secret: { secretName: 'x' } },
    ],
    containers: [{ name: 'a', image: 'b' }],
  },
  'the environment': {
    containers: [
      {
        name: 'a',
        image: 'b',
        env: [{ name: 'N', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      },
    ],
  },
  'tolerations of its own': {
    tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' }],
  },
  'a priority class': { priorityClassName: 'system-node-critical' },
  'an unknown priority class': { priorityClassName: 'no-such-class' },
  'an affinity to nodes': {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['x'] }] },
          ],
        },
      },
    },
  },
  'scheduling gates': { schedulingGates: [{ name: 'x.test/gate' }] },
  'host network': {
    hostNetwork: true,
    containers: [{ name: 'a', image: 'b', ports: [{ containerPort: 80 }] }],
  },
};

const defaults = Object.fromEntries(
  Object.entries(specs).map(([what, spec]) => [
    `defaults with ${what}`,
    async (s: Session) => {
      await s.create(pod('a', spec));
    },
  ]),
);

export const podScripts = family('pods', {
  ...defaults,
  'a binding gives a Pod its node': async (s) => {
    await s.create(pod('a', {}, { finalizers: ['x.test/held'] }));
    await bindTo(s, 'a', s.own('nowhere'));
    const { body } = await s.aside('GET', s.path('Pod', 'a'));
    s.note('node', body.spec?.['nodeName']);
    await bindTo(s, 'a', s.own('elsewhere'));
    await s.aside('PATCH', s.path('Pod', 'a'), {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { metadata: { finalizers: null } },
    });
  },
  'a binding of what does not exist': async (s) => {
    await bindTo(s, 'none', 'node-1');
  },
  'a binding needs a node': async (s) => {
    await s.create(pod('a'));
    await bindTo(s, 'a', '');
  },
  'a Pod runs to its end': async (s) => {
    await s.create(
      pod('a', { schedulerName: 'default-scheduler', restartPolicy: 'Never' }, ending(1, 0)),
    );
    s.note('end', outcome(await s.until('Pod', 'a', (it) => phaseOf(it) === 'Succeeded')));
  },
  'a Pod fails': async (s) => {
    await s.create(
      pod('a', { schedulerName: 'default-scheduler', restartPolicy: 'Never' }, ending(1, 3)),
    );
    s.note('end', outcome(await s.until('Pod', 'a', (it) => phaseOf(it) === 'Failed')));
  },
  'a Pod goes to the node that it names': async (s) => {
    await s.create(pod('a', { nodeName: 'minikube', restartPolicy: 'Never' }, ending(1, 0)));
    const it = await s.until('Pod', 'a', (seen) => phaseOf(seen) === 'Succeeded');
    s.note('node', it?.spec?.['nodeName']);
  },
  'a Pod goes to the node that it selects': async (s) => {
    const nodeSelector = { 'kubernetes.io/hostname': 'minikube' };
    await s.create(
      pod(
        'a',
        { schedulerName: 'default-scheduler', restartPolicy: 'Never', nodeSelector },
        ending(1, 0),
      ),
    );
    const it = await s.until('Pod', 'a', (seen) => phaseOf(seen) === 'Succeeded');
    s.note('node', it?.spec?.['nodeName']);
  },
  'a Pod that fits nowhere waits and says why': async (s) => {
    await s.create(pod('a', { schedulerName: 'default-scheduler', nodeSelector: { no: 'such' } }));
    const it = await s.until(
      'Pod',
      'a',
      (seen) => (seen?.status as { conditions?: unknown }).conditions !== undefined,
    );
    const { conditions } = it?.status as {
      conditions: { type: string; status: string; reason: string }[];
    };
    s.note(
      'conditions',
      conditions.map(({ type, status, reason }) => [type, status, reason]),
    );
  },
  'a running Pod is deleted': async (s) => {
    await s.create(pod('a', { schedulerName: 'default-scheduler' }, ending(60, 0)));
    await s.until('Pod', 'a', (it) => phaseOf(it) === 'Running');
    await s.aside('DELETE', s.path('Pod', 'a'));
    await s.untilGone('Pod', 'a');
    await s.read('Pod', 'a');
  },
  'a Pod is evicted': async (s) => {
    await s.create(pod('a'));
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } };
    await s.call('POST', s.path('Pod', 'a', { sub: 'eviction' }), { body });
    await s.read('Pod', 'a');
    await s.call('POST', s.path('Pod', 'a', { sub: 'eviction' }), { body });
  },
  'the log of what does not exist': async (s) => {
    await s.read('Pod', 'none', { sub: 'log' });
  },
  'the log of a Pod without a node': async (s) => {
    await s.create(pod('a'));
    await s.read('Pod', 'a', { sub: 'log' });
    await s.read('Pod', 'a', { sub: 'log', query: { container: 'none' } });
  },
  'the log of a Pod with two containers': async (s) => {
    const containers = ['one', 'two'].map((name) => ({ name, image: 'busybox' }));
    await s.create(pod('a', { containers }));
    await s.read('Pod', 'a', { sub: 'log' });
  },
  'most of the spec stays': async (s) => {
    await s.create(pod('a'));
    await s.patch('Pod', 'a', 'merge', { spec: { restartPolicy: 'Never' } });
    await s.patch('Pod', 'a', 'merge', { spec: { nodeName: 'node-1' } });
    await s.patch('Pod', 'a', 'merge', { spec: { terminationGracePeriodSeconds: 5 } });
  },
});
