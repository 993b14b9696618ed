/** Unknown, repeated and ill-typed fields with each value of fieldValidation. */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { family, type Rules } from '../harness/script.ts';
import type { Session } from '../harness/session.ts';
import { configMap, job, pod, restingJob } from './samples.ts';

const levels = ['Strict', 'Warn', 'Ignore'] as const;

const unknown = {
  ...configMap('a'),
  unknown: 1,
  metadata: { name: 'a', strange: { deep: true } },
};

function perLevel(what: string, run: (s: Session, level: string) => Promise<void>): Rules {
  return Object.fromEntries(
    levels.map((level) => [`${what} with ${level}`, (s: Session) => run(s, level)]),
  );
}

const wrongTypes: Readonly<Record<string, Json>> = {
  'a text for a number': { parallelism: 'two' },
  'a number for a text': { managedBy: 5 },
  'a fraction for an integer': { parallelism: 1.5 },
  'a text for a boolean': { suspend: 'yes' },
  'a list for an object': { template: [] },
  'an object for a list': { template: { spec: { containers: {} } } },
  'a large number': { parallelism: 9_999_999_999 },
};

const badJobs: Readonly<Record<string, Json>> = {
  'negative parallelism': { parallelism: -1 },
  'negative completions': { completions: -1 },
  'negative backoffLimit': { backoffLimit: -1 },
  'negative activeDeadlineSeconds': { activeDeadlineSeconds: -1 },
  'negative ttlSecondsAfterFinished': { ttlSecondsAfterFinished: -5 },
  'an unknown completionMode': { completionMode: 'Sometimes' },
  'Indexed without completions': { completionMode: 'Indexed' },
  'a restartPolicy of Always': {
    template: { spec: { restartPolicy: 'Always', containers: [{ name: 'a', image: 'b' }] } },
  },
  'no restartPolicy': { template: { spec: { containers: [{ name: 'a', image: 'b' }] } } },
  'no containers': { template: { spec: { restartPolicy: 'Never', containers: [] } } },
  'no image': { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a' }] } } },
  'two containers of one name': {
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [
          { name: 'a', image: 'b' },
          { name: 'a', image: 'b' },
        ],
      },
    },
  },
  'a selector of its own': { selector: { matchLabels: { a: 'b' } } },
  'a manual selector that does not fit': {
    manualSelector: true,
    selector: { matchLabels: { a: 'b' } },
  },
  'a podFailurePolicy without an action': {
    podFailurePolicy: { rules: [{ onExitCodes: { operator: 'In', values: [1] } }] },
  },
  'a podFailurePolicy on 0': {
    podFailurePolicy: {
      rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [0] } }],
    },
  },
  'a backoffLimitPerIndex without Indexed': { backoffLimitPerIndex: 1 },
  'an unknown podReplacementPolicy': { podReplacementPolicy: 'Maybe' },
  'a successPolicy without Indexed': { successPolicy: { rules: [{ succeededCount: 1 }] } },
};

function requiredNode(term: JsonObject): JsonObject {
  const needed = { nodeSelectorTerms: [term] };
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: needed } } };
}

const badPods: Readonly<Record<string, Json>> = {
  'no containers': { containers: [] },
  'an unknown restartPolicy': { restartPolicy: 'Maybe' },
  'a bad quantity': {
    containers: [{ name: 'a', image: 'b', resources: { requests: { cpu: 'lots' } } }],
  },
  'a request over its limit': {
    containers: [
      { name: 'a', image: 'b', resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
    ],
  },
  'a port out of range': {
    containers: [{ name: 'a', image: 'b', ports: [{ containerPort: 70_000 }] }],
  },
  'a bad environment name': {
    containers: [{ name: 'a', image: 'b', env: [{ name: 'a=b', value: 'c' }] }],
  },
  'a mount without its volume': {
    containers: [{ name: 'a', image: 'b', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
  },
  'a subPath that leaves the volume': {
    volumes: [{ name: 'v', emptyDir: {} }],
    containers: [
      {
        name: 'a',
        image: 'b',
        volumeMounts: [{ name: 'v', mountPath: '/v', subPath: '../../etc' }],
      },
    ],
  },
  'a subPath from the root': {
    volumes: [{ name: 'v', emptyDir: {} }],
    containers: [
      { name: 'a', image: 'b', volumeMounts: [{ name: 'v', mountPath: '/v', subPath: '/etc' }] },
    ],
  },
  'two volumes of one name': {
    volumes: [
      { name: 'v', emptyDir: {} },
      { name: 'v', emptyDir: {} },
    ],
  },
  'a toleration that makes no sense': {
    tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }],
  },
  'a negative activeDeadlineSeconds': { activeDeadlineSeconds: 0 },
  'an unknown imagePullPolicy': {
    containers: [{ name: 'a', image: 'b', imagePullPolicy: 'Perhaps' }],
  },
  'a nodeSelector with a bad key': { nodeSelector: { 'a b': 'c' } },
  'a negative request': {
    containers: [{ name: 'a', image: 'b', resources: { requests: { cpu: '-1' } } }],
  },
  'a quantity with a strange suffix': {
    containers: [{ name: 'a', image: 'b', resources: { limits: { memory: '1Qi' } } }],
  },
  'a unit of bytes that is none': {
    containers: [{ name: 'a', image: 'b', resources: { limits: { memory: '1Gb' } } }],
  },
  'an unknown resource': {
    containers: [{ name: 'a', image: 'b', resources: { limits: { speed: '1' } } }],
  },
  'an extended resource that is requested otherwise than limited': {
    containers: [
      {
        name: 'a',
        image: 'b',
        resources: { requests: { 'x.test/gpu': '1' }, limits: { 'x.test/gpu': '2' } },
      },
    ],
  },
  'an extended resource without a limit': {
    containers: [{ name: 'a', image: 'b', resources: { requests: { 'x.test/gpu': '1' } } }],
  },
  'no port and an unknown protocol': {
    containers: [{ name: 'a', image: 'b', ports: [{ containerPort: 0, protocol: 'UPS' }] }],
  },
  'two ports of one name': {
    containers: [
      {
        name: 'a',
        image: 'b',
        ports: [
          { name: 'p', containerPort: 1 },
          { name: 'p', containerPort: 2 },
        ],
      },
    ],
  },
  'a variable without a name': { containers: [{ name: 'a', image: 'b', env: [{ value: 'c' }] }] },
  'a variable with two values': {
    containers: [
      {
        name: 'a',
        image: 'b',
        env: [{ name: 'A', value: 'c', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      },
    ],
  },
  'a toleration for a time of what does not evict': {
    tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }],
  },
  'a toleration of everything without an operator': { tolerations: [{ value: 'b' }] },
  'an unknown operator of a toleration': { tolerations: [{ key: 'a', operator: 'Like' }] },
  'an unknown effect of a toleration': {
    tolerations: [{ key: 'a', operator: 'Exists', effect: 'Never' }],
  },
  'an affinity with an unknown operator': requiredNode({
    matchExpressions: [{ key: 'a', operator: 'Like', values: ['b'] }],
  }),
  'an affinity without values': requiredNode({
    matchExpressions: [{ key: 'a', operator: 'In' }],
  }),
  'an affinity with values that are not needed': requiredNode({
    matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }],
  }),
  'an affinity that compares with two numbers': requiredNode({
    matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1', '2'] }],
  }),
  'an affinity to an unknown field': requiredNode({
    matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['a'] }],
  }),
  'an affinity to two names': requiredNode({
    matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a', 'b'] }],
  }),
  'an affinity to nothing': {
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
    },
  },
  'a preference that weighs too much': {
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 101,
            preference: { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
          },
        ],
      },
    },
  },
};

function refusing(
  what: string,
  bad: Readonly<Record<string, Json>>,
  run: (s: Session, spec: never) => Promise<unknown>,
): Rules {
  return Object.fromEntries(
    Object.entries(bad).map(([fault, spec]) => [
      `${what} with ${fault}`,
      async (s: Session) => {
        await run(s, spec as never);
      },
    ]),
  );
}

export const validationScripts = family('validation', {
  ...perLevel('an unknown field at a create', async (s, fieldValidation) => {
    await s.create(unknown, { query: { fieldValidation } });
  }),
  ...perLevel('an unknown field at an update', async (s, fieldValidation) => {
    await s.create(configMap('a'));
    await s.update(unknown, { query: { fieldValidation } });
  }),
  ...perLevel('an unknown field in a merge patch', async (s, fieldValidation) => {
    await s.create(restingJob('a'));
    await s.patch(
      'Job',
      'a',
      'merge',
      { spec: { unknown: 1, template: { spec: { odd: 1 } } } },
      { query: { fieldValidation } },
    );
  }),
  ...perLevel('an unknown field in a JSON patch', async (s, fieldValidation) => {
    await s.create(configMap('a'));
    await s.patch('ConfigMap', 'a', 'json', [{ op: 'add', path: '/odd', value: 1 }], {
      query: { fieldValidation },
    });
  }),
  ...perLevel('an unknown field in a strategic patch', async (s, fieldValidation) => {
    await s.create(configMap('a'));
    await s.patch('ConfigMap', 'a', 'strategic', { odd: 1 }, { query: { fieldValidation } });
  }),
  ...perLevel('a field given twice', async (s, fieldValidation) => {
    const body =
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1","x":"2"}}';
    await s.call('POST', s.path('ConfigMap'), { body, query: { fieldValidation } });
  }),
  ...perLevel('unknown fields deep in a list', async (s, fieldValidation) => {
    await s.create(
      pod('a', {
        containers: [{ name: 'main', image: 'b', imagee: 'c', env: [{ name: 'A', vaule: 'x' }] }],
      }),
      { query: { fieldValidation } },
    );
  }),
  'unknown fields deep in the template of a Job, without a level': async (s) => {
    const container = {
      name: 'main',
      image: 'b',
      resources: { request: { cpu: '1' } },
      imagee: 'c',
    };
    const template = { spec: { restartPolicy: 'Never', containers: [container] } };
    await s.create(job('a', { template, paralelism: 2, suspend: true }));
  },
  'an unknown level': async (s) => {
    await s.create(configMap('a'), { query: { fieldValidation: 'Strictly' } });
  },
  'no level warns': async (s) => {
    await s.create(unknown);
  },
  'a field in the wrong case': async (s) => {
    await s.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      Data: { a: 'b' },
    });
  },
  ...refusing('a Job', wrongTypes, (s, spec) => s.create(job('a', spec))),
  ...refusing('a Job', badJobs, (s, spec) => s.create(job('a', spec))),
  ...refusing('a Pod', badPods, (s, spec) => s.create(pod('a', spec))),
});
