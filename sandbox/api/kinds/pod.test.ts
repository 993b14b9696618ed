import { expect, test } from 'vitest';
import { refusal } from '../../apimachinery/testing/refusal.ts';
import { Fixture } from '../testing/fixture.ts';

const containers = [{ name: 'c', image: 'i:1' }];
const pod = (spec: object) => ({ metadata: { name: 'p' }, spec: { containers, ...spec } });

test('a Pod gets its defaults, tolerations and priority', () => {
  const { spec, status } = Fixture.withAccount().create('pods', pod({ volumes: [{ name: 'v' }] }));
  const toleration = { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 };
  expect(spec).toMatchObject({
    restartPolicy: 'Always',
    enableServiceLinks: true,
    priority: 0,
    preemptionPolicy: 'PreemptLowerPriority',
    volumes: [{ name: 'v', emptyDir: {} }],
    containers: [{ imagePullPolicy: 'IfNotPresent' }],
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', ...toleration },
      { key: 'node.kubernetes.io/unreachable', ...toleration },
    ],
  });
  expect(status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
});

test('the priority comes from the class; one that does not exist is refused', () => {
  const api = Fixture.withAccount();
  api.create('priorityclasses.scheduling.k8s.io', { metadata: { name: 'high' }, value: 7 });
  expect(api.create('pods', pod({ priorityClassName: 'high' })).spec).toMatchObject({
    priority: 7,
  });
  const error = refusal(() => api.create('pods', pod({ priorityClassName: 'low' })));
  expect(error.message).toBe('pods "p" is forbidden: no PriorityClass with name low was found');
});

test.each([
  [{ containers: [] }, 'Pod "p" is invalid: spec.containers: Required value'],
  [{ containers: [{ name: 'c' }] }, 'Pod "p" is invalid: spec.containers[0].image: Required value'],
  [
    { restartPolicy: 'x' },
    'Pod "p" is invalid: spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"',
  ],
])('refuses the spec %j', (spec, message) => {
  expect(refusal(() => Fixture.withAccount().create('pods', pod(spec))).message).toBe(message);
});

test('of a Pod the image may change, its node may not', () => {
  const api = Fixture.withAccount();
  api.create('pods', pod({}));
  const change = (spec: object) => () =>
    api.do('patch', 'pods', { name: 'p', patchKind: 'strategic', body: { spec } as never });
  change({ containers: [{ name: 'c', image: 'i:2' }] })();
  expect(api.get('pods', 'p').spec).toMatchObject({ containers: [{ image: 'i:2' }] });
  expect(refusal(change({ nodeName: 'n' })).message).toContain('pod updates may not change fields');
});

test('a binding places a Pod once', () => {
  const api = Fixture.withAccount();
  api.create('pods', pod({}));
  const bind = () =>
    api.do('create', 'pods', {
      name: 'p',
      subresource: 'binding',
      body: { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } },
    });
  expect(bind().code).toBe(201);
  expect(api.get('pods', 'p')).toMatchObject({
    spec: { nodeName: 'n' },
    status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
  });
  expect(refusal(bind).message).toBe(
    'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"',
  );
});

test('a Pod runs as an account that its namespace has', () => {
  const api = Fixture.withAccount();
  expect(api.create('pods', pod({})).spec).toMatchObject({ serviceAccountName: 'default' });
  api.create('serviceaccounts', { metadata: { name: 'own' }, imagePullSecrets: [{ name: 's' }] });
  const own = { ...pod({ serviceAccount: 'own' }), metadata: { name: 'q' } };
  expect(api.create('pods', own).spec).toMatchObject({
    serviceAccountName: 'own',
    imagePullSecrets: [{ name: 's' }],
  });
});

test('a Pod of an account that does not exist is refused, under the name that it was given', () => {
  const api = Fixture.withAccount();
  const none = { ...pod({ serviceAccountName: 'none' }), metadata: { generateName: 'p-' } };
  expect(refusal(() => api.create('pods', none)).message).toBe(
    'pods "p-" is forbidden: error looking up service account default/none: serviceaccount "none" not found',
  );
  expect(refusal(() => new Fixture().create('pods', pod({}))).code).toBe(403);
});
