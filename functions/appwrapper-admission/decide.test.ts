import { describe, expect, it } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import type { Component } from '#shared/api/app-wrapper.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { decide } from './decide.ts';
import { kindKey, type KindFacts, type WrapperFacts } from './facts.ts';
import { creation, update } from './testing/reviews.ts';
import {
  deployment,
  inDeployment,
  inJobSet,
  job,
  jobSet,
  leaderWorkerSet,
  pod,
  podTemplate,
  pytorchJob,
  rayCluster,
  rayJob,
  service,
  wrapper,
  wrongPaths,
} from './testing/wrappers.ts';

const served: KindFacts = { resource: resources.Pod, mayCreate: { allowed: true } };

/** The cluster serves every wrapped kind, and the author may create them. */
function factsFor(object: JsonObject, of: KindFacts = served): WrapperFacts {
  const { components } = object['spec'] as { readonly components: readonly Component[] };
  const kinds = components.map(({ template }) => [kindKey(template), of] as const);
  return {
    mostPodSets: 8,
    allowedKinds: [],
    policy: defaultPolicy,
    kinds: Object.fromEntries(kinds),
  };
}

const gadget = (podSets?: readonly JsonObject[]): JsonObject => ({
  template: {
    ...{ apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'gadget' } },
    spec: { workers: [{ template: podTemplate }] },
  },
  ...(podSets === undefined ? {} : { podSets }),
});

const decided = (object: JsonObject, facts: Partial<WrapperFacts> = {}) =>
  decide(creation(object), { ...factsFor(object), ...facts });
const said = (object: JsonObject, facts?: Partial<WrapperFacts>) => {
  const decision = decided(object, facts);
  return decision.allowed ? 'allowed' : decision.message;
};
const warningsOf = (object: JsonObject, facts?: Partial<WrapperFacts>) => {
  const decision = decided(object, facts);
  expect(decision.allowed).toBe(true);
  return decision.warnings ?? [];
};

describe('a new AppWrapper is accepted without a word', () => {
  it.each([
    ['of a Pod', [pod()]],
    ['of a Pod and a Service', [pod(), service()]],
    [
      'whose podSets are declared as they are inferred',
      [deployment(2, { podSets: [{ path: inDeployment, replicas: 2 }] })],
    ],
    [
      'whose podSets are declared in another order',
      [jobSet({ podSets: [1, 0].map((index) => ({ path: inJobSet(index), replicas: 2 })) })],
    ],
    ['of resources in its namespace', [pod({ metadata: { namespace: 'team-a' } })]],
    ['of eight podSets', [pytorchJob(), rayCluster(), rayJob(), job({ parallelism: 8 }), pod()]],
  ])('%s', (_, components) => {
    expect(decided(wrapper(components))).toEqual({ allowed: true });
  });
});

it('as which service account a wrapped Pod runs is asked when it is created', () => {
  const spec = { ...podTemplate.spec, serviceAccountName: 'builder' };
  const template = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec };
  expect(decided(wrapper([{ template }]))).toEqual({ allowed: true });
});

it('Pods that no podSet names are a warning, with the path to declare', () => {
  const warned = (components: readonly JsonObject[]) => {
    const decision = decided(wrapper(components));
    return decision.allowed ? (decision.warnings ?? []) : ['refused'];
  };
  const path = 'template.spec.workers[0].template';
  expect(warned([pod(), gadget()])).toEqual([
    `spec.components[1]: no podSet has the path ${path}, so no quota is held for its Pods; declare podSets with that path and the number of its Pods`,
  ]);
  expect(warned([pod(), gadget([{ path, replicas: 2 }])])).toEqual([]);
  const spec = { workers: [{ template: podTemplate }, { template: podTemplate }] };
  const { template } = gadget() as { readonly template: JsonObject };
  const half = { template: { ...template, spec }, podSets: [{ path, replicas: 2 }] };
  expect(warned([half])).toEqual([
    expect.stringContaining('no podSet has the path template.spec.workers[1].template,'),
  ]);
  // No path can contain such a name.
  expect(warned([pod(), { template: { ...template, spec: { 'a.b': podTemplate } } }])).toEqual([]);
  const bare = { template: { ...template, ...podTemplate } };
  expect(warned([pod(), bare])).toEqual([
    expect.stringContaining('spec.components[1]: no podSet has the path template,'),
  ]);
});

it.each([
  ['another kind of their group', 'workload.codeflare.dev/v1', 'Gadget'],
  ['a kind of another group with their name', 'example.com/v1', 'AppWrapper'],
  [
    'a kind of a group that only begins like theirs',
    'workload.codeflare.dev.example/v1',
    'AppWrapper',
  ],
])('AppWrappers may wrap %s', (_, apiVersion, kind) => {
  const other = { template: { apiVersion, kind, metadata: { name: 'a' } } };
  expect(decided(wrapper([pod(), other]))).toEqual({ allowed: true });
});

describe('a new AppWrapper is refused', () => {
  const path = 'spec.components[0]';

  it('as forbidden, with every fault at its field', () => {
    const components = [pod({ metadata: { namespace: 'other' } }), wrapper([pod()])];
    expect(
      decided(wrapper(components.map((each) => ('template' in each ? each : { template: each })))),
    ).toEqual({
      ...{ allowed: false, code: 403, reason: 'Forbidden' },
      message:
        '[spec.components[0].template.metadata.namespace: Forbidden: AppWrappers cannot create objects in other namespaces, ' +
        'spec.components[1].template: Forbidden: Nested AppWrappers are forbidden]',
    });
  });

  it('without components, and without Pods', () => {
    const none = 'spec.components: Invalid value: components contains no podspecs';
    expect(said(wrapper([]))).toBe(none);
    expect(said(wrapper([service()]))).toBe(none);
  });

  it('without podSets for Pod templates that can be seen, with the path to declare', () => {
    expect(said(wrapper([service(), gadget()]))).toBe(
      'spec.components: Invalid value: components contains no podspecs; declare podSets of spec.components[1], ' +
        'as path: template.spec.workers[0].template with the number of its Pods as replicas',
    );
  });

  it('with more podSets than Kueue takes', () => {
    const nine = wrapper(Array.from({ length: 9 }, () => pod()));
    const most =
      'spec.components: Invalid value: components contains 9 podspecs; at most 8 are allowed';
    expect(said(nine)).toBe(most);
    expect(said(nine, { mostPodSets: 18 })).toBe('allowed');
  });

  it.each([
    ['template.spec.missing', `missing field 'missing'`],
    ['template.spec.template.metadata', 'does not contain a spec'],
  ])('with the path %s, where no Pod template stands', (wrong, words) => {
    const message = said(wrapper([deployment(1, { podSets: [{ path: wrong }] })]));
    expect(message).toContain(
      `${path}.podSets[0].path: Invalid value: "${wrong}": path does not refer to a v1.PodSpecTemplate: `,
    );
    expect(message).toContain(words);
  });

  it('with an empty path', () => {
    const message = said(wrapper([deployment(1, { podSets: [{ path: '' }] })]));
    expect(message).toContain(`${path}.podSets[0].path: Required value: podspec must specify path`);
  });

  it.each(wrongPaths)('with the path %s', (wrong, words) => {
    const podSets = [
      { path: wrong, replicas: 2 },
      { path: inJobSet(1), replicas: 2 },
    ];
    expect(said(wrapper([jobSet({ podSets })]))).toContain(words);
  });

  it.each([
    [
      [{ path: inDeployment, replicas: 4 }],
      `replica count 4 differs from inferred count 2 for PodSet at path position '${inDeployment}'`,
    ],
    [
      [{ path: inDeployment }, { path: inDeployment }],
      `multiple DeclaredPodSets with path '${inDeployment}'`,
    ],
  ])('where what is declared is not what is inferred: case %#', (podSets, words) => {
    const message = said(wrapper([deployment(2, { podSets })]));
    expect(message).toContain(`${path}.podSets: Invalid value: ${words}`);
  });

  it('where a known kind is malformed', () => {
    const words = `error inferring PodSets: at path position 'template.spec.replicas' non-int value "two"`;
    const malformed = deployment(1);
    const template = {
      ...(malformed['template'] as JsonObject),
      spec: { replicas: 'two', template: {} },
    };
    expect(said(wrapper([{ template }]))).toContain(`${path}.template: Invalid value: ${words}`);
  });

  it('where its author may not create what it wraps', () => {
    const object = wrapper([deployment(1)]);
    const resource = { ...resources.Pod, plural: 'deployments' };
    const { kinds } = factsFor(object, { resource, mayCreate: { allowed: false } });
    expect(said(object, { kinds })).toBe(
      `${path}.template: Forbidden: User ann is not authorized to create deployments in team-a`,
    );
    const unknown = factsFor(object, { resource: null, mayCreate: { allowed: false } });
    expect(said(object, unknown)).toContain('not authorized to create * in team-a');
  });

  it('where what serves a kind does not answer, because nothing is known about rights then', () => {
    const object = wrapper([gadget([{ path: 'template.spec.workers[0].template' }])]);
    const facts = factsFor(object, { resource: null, unanswered: 'service unavailable' });
    expect(said(object, facts)).toBe(
      `${path}.template: Forbidden: what serves example.com/v1 does not answer (service unavailable), so it is not known who may create a Gadget; create the AppWrapper again when \`kubectl get apiservices v1.example.com\` shows it as available`,
    );
  });

  it('where the installation does not allow a kind', () => {
    const object = wrapper([pod(), rayCluster()]);
    expect(said(object, { allowedKinds: ['Pod', '*.ray.io'] })).toBe('allowed');
    expect(said(object, { allowedKinds: ['Pod', 'RayJob.ray.io'] })).toBe(
      'spec.components[1].template: Forbidden: AppWrappers may not wrap a RayCluster of ray.io/v1 in this cluster; allowed are Pod, RayJob.ray.io',
    );
    expect(said(object, { allowedKinds: ['Pod.ray.io', 'RayCluster'] })).toContain(
      'wrap a Pod of v1',
    );
  });

  it('where policy refuses the Pods of any of its resources, with the path of the field', () => {
    const onHost = { containers: [{ name: 'a' }], hostNetwork: true };
    const template = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: onHost };
    expect(said(wrapper([{ template }]))).toContain(
      `${path}.template.spec.hostNetwork: true shares it with the node; leave it out (policy hostNamespaces, profile baseline)`,
    );
    const warned = { profile: 'baseline', exceptions: { hostNamespaces: 'warn' } } as const;
    expect(warningsOf(wrapper([{ template }]), { policy: warned })).toEqual([
      expect.stringContaining(`${path}.template.spec.hostNetwork`),
    ]);
  });

  it('where what it wraps belongs to no namespace', () => {
    const object = wrapper([pod()]);
    const { kinds } = factsFor(object, { resource: resources.Node });
    expect(said(object, { kinds })).toContain('AppWrappers cannot create nodes');
  });

  it('under a name that its Pods cannot have as a label, or its podSets as a name', () => {
    const queued = { labels: { 'kueue.x-k8s.io/queue-name': 'main' } };
    const long = 'a'.repeat(64);
    expect(said(wrapper([pod()], { name: long }))).toContain('must be no more than 63 characters');
    expect(said(wrapper([pod()], { name: 'a'.repeat(63) }))).toBe('allowed');
    expect(said(wrapper([pod()], { name: 'a.b' }))).toBe('allowed');
    expect(said(wrapper([pod()], { name: 'a.b', ...queued }))).toContain('must be a DNS label');
    expect(said(wrapper([pod()], { name: 'a'.repeat(61), ...queued }))).toBe('allowed');
    expect(said(wrapper([pod()], { name: 'a'.repeat(62), ...queued }))).toContain(
      'no more than 61',
    );
    const eleven = Array.from({ length: 11 }, () => pod());
    const named = (length: number) =>
      said(wrapper(eleven, { name: 'a'.repeat(length), ...queued }), { mostPodSets: 18 });
    expect(named(60)).toBe('allowed');
    expect(named(61)).toContain('no more than 60');
    const ten = wrapper(eleven.slice(1), { name: 'a'.repeat(61), ...queued });
    expect(said(ten, { mostPodSets: 18 })).toBe('allowed');
    expect(said(wrapper([pod()], { name: 'a', ...queued }))).toBe('allowed');
    const generated = { ...wrapper([pod()]), metadata: { generateName: 'sample-', ...queued } };
    expect(said(generated)).toBe('allowed');
  });

  it('where a resource has no name, or the kind and name of another one', () => {
    const nameless = wrapper([pod({ metadata: { name: '' } })]);
    expect(said(nameless)).toBe(
      'spec.components[0].template.metadata: Required value: name or generateName',
    );
    expect(said(wrapper([pod({ metadata: { name: '', generateName: 'a-' } })]))).toBe('allowed');
    const metadata = { name: 'a' };
    const twins = [pod({ metadata }), job({}, { metadata }), pod({ metadata })];
    expect(said(wrapper(twins))).toBe(
      'spec.components[2].template.metadata.name: Duplicate value: "a": spec.components[0] has the same kind and name',
    );
    expect(said(wrapper(twins.slice(1)))).toBe('allowed');
  });

  it('with components of so many kinds that asking about them would take too long', () => {
    const kinds = Array.from({ length: 33 }, (_, index) => ({
      template: { apiVersion: 'v1', kind: `Kind${index}` },
    }));
    expect(said(wrapper(kinds))).toContain(
      'spec.components: Invalid value: components are of 33 kinds; at most 32 are allowed',
    );
    expect(said(wrapper(kinds.slice(1)))).not.toContain('kinds; at most');
  });
});

describe('a new AppWrapper is accepted with a warning', () => {
  const prefix = 'workload.codeflare.dev.appwrapper/';

  it('where an annotation is misspelt', () => {
    const key = `${prefix}delectionOnFailureGracePeriodDuration`;
    expect(warningsOf(wrapper([pod()], { annotations: { [key]: '5m' } }))).toEqual([
      `metadata.annotations[${key}]: AppWrappers know no such annotation; did you mean ${prefix}deletionOnFailureGracePeriodDuration?`,
    ]);
  });

  it.each([
    ['retryPausePeriodDuration', '90', 'not a duration such as 1m30s: "90"; the default is used'],
    ['retryLimit', 'many', 'not a whole number: "many"; the default is used'],
    ['terminalExitCodes', '3, 10,x', 'not a whole number: " 10", "x"; it is skipped'],
  ])('where the annotation %s is malformed', (suffix, text, words) => {
    const key = `${prefix}${suffix}`;
    const object = wrapper([pod()], { annotations: { [key]: text } });
    expect(warningsOf(object)).toEqual([`metadata.annotations[${key}]: ${words}`]);
  });

  it('where an annotation stands at a component', () => {
    const annotations = { [`${prefix}retryLimit`]: '5', 'example.com/a': 'b' };
    expect(warningsOf(wrapper([{ ...pod(), annotations }]))).toEqual([
      `spec.components[0].annotations[${prefix}retryLimit]: has no effect there; write it into metadata.annotations`,
    ]);
  });

  it('where a kind beyond the original makes other Pods than are declared', () => {
    const at = 'template.spec.leaderWorkerTemplate';
    const declared = (workers: number) =>
      wrapper([
        leaderWorkerSet([
          { path: `${at}.leaderTemplate`, replicas: 2 },
          { path: `${at}.workerTemplate`, replicas: workers },
        ]),
      ]);
    expect(warningsOf(declared(4))).toEqual([]);
    expect(warningsOf(declared(3))).toEqual([
      `spec.components[0].podSets: replica count 3 differs from inferred count 4 for PodSet at path position '${at}.workerTemplate'`,
    ]);
  });

  it('where a kind is not served yet', () => {
    const object = wrapper([jobSet()]);
    expect(warningsOf(object, factsFor(object, { resource: null }))).toEqual([
      'the cluster serves no JobSet of jobset.x-k8s.io/v1alpha2 yet: it cannot be created before it does',
    ]);
  });

  it('where Millrace itself may not create a kind', () => {
    const object = wrapper([pod()]);
    const resource = { ...resources.Pod, group: 'example.com', plural: 'gadgets' };
    expect(
      warningsOf(object, factsFor(object, { resource, mayBeCreated: { allowed: false } })),
    ).toEqual([
      'spec.components[0].template: Millrace may not create gadgets.example.com in team-a yet; an administrator allows it with a ClusterRole that has the label millrace.dev/aggregate-to-wrapped=true',
    ]);
  });

  it('where Ray may make more Pods than there is quota for', () => {
    const scaled = wrapper([rayCluster({ enableInTreeAutoscaling: true })]);
    expect(warningsOf(scaled)).toEqual([
      'spec.components[0].template: the autoscaler of Ray may create Pods for which there is no quota',
    ]);
  });

  it('where the Pods of a TrainJob are in its runtime', () => {
    const apiVersion = 'trainer.kubeflow.org/v1alpha1';
    const metadata = { name: 'trains' };
    const template = {
      apiVersion,
      kind: 'TrainJob',
      metadata,
      spec: { runtimeRef: { name: 'r' } },
    };
    expect(warningsOf(wrapper([pod(), { template }]))).toEqual([
      'spec.components[1].template: the Pod templates of a TrainJob are in its runtime, so no quota is held for its Pods; wrap the JobSet that the runtime describes, or give the TrainJob a queue of its own',
    ]);
    expect(said(wrapper([{ template }]))).toContain('components contains no podspecs');
  });
});

describe('an AppWrapper stays what was judged', () => {
  const podSets = [{ path: inDeployment, replicas: 2 }];
  const labels = { 'workload.codeflare.dev/user': 'ann', 'workload.codeflare.dev/userid': 'u-ann' };
  const annotations = { 'millrace.dev/submitter': '{"username":"ann"}' };
  const before = wrapper([pod(), deployment(2, { podSets })], { labels, annotations });
  const [first, second] = (before['spec'] as { components: readonly JsonObject[] }).components;
  const changed = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
    ...before,
    metadata: { ...(before['metadata'] as JsonObject), ...metadata },
    spec: { ...(before['spec'] as JsonObject), ...spec },
  });
  const verdict = (after: JsonObject) => {
    const decision = decide(update(before, after), undefined);
    return decision.allowed ? 'allowed' : decision.message;
  };
  const refused = (path: string) => `${path}: Forbidden: attempt to change immutable field`;

  it('is allowed to be written as it is, without a word', () => {
    expect(decide(update(before, before), undefined)).toEqual({ allowed: true });
  });

  const declared = (...sets: readonly JsonObject[]) =>
    changed({ components: [first!, { ...second, podSets: sets }] });

  it.each([
    ['suspend', changed({ suspend: true })],
    ['podSetInfos', changed({ components: [first!, { ...second, podSetInfos: [{}] }] })],
    ['annotations', changed({}, { annotations: { ...annotations, a: 'b' } })],
    ['other labels', changed({}, { labels: { ...labels, a: 'b' } })],
    ['replicas that say the same', declared({ path: inDeployment, replicas: 2 })],
    ['a field of a template that is null', changed({ components: [withNull(first!), second!] })],
    ['the order of fields in a template', changed({ components: [reversed(first!), second!] })],
  ])('%s may change', (_, after) => {
    expect(verdict(after)).toBe('allowed');
  });

  it.each([
    [
      'a template',
      changed({ components: [{ ...first, template: second!['template']! }, second!] }),
      'spec.components[0].template',
    ],
    [
      'the number of components',
      changed({ components: [first!, second!, first!] }),
      'spec.components',
    ],
    ['the number of podSets', declared(...podSets, ...podSets), 'spec.components[1].podSets'],
    ['a path', declared({ path: 'bad', replicas: 2 }), 'spec.components[1].podSets[0].path'],
    [
      'replicas',
      declared({ path: inDeployment, replicas: 12 }),
      'spec.components[1].podSets[0].replicas',
    ],
    ['managedBy', changed({ managedBy: 'else' }), 'spec.managedBy'],
    [
      'the label of the user',
      changed({}, { labels: { ...labels, 'workload.codeflare.dev/user': 'bad' } }),
      'metadata.labels[workload.codeflare.dev/user]',
    ],
    [
      'the label of its UID',
      changed({}, { labels: { 'workload.codeflare.dev/user': 'ann' } }),
      'metadata.labels[workload.codeflare.dev/userid]',
    ],
    [
      'the submitter',
      changed({}, { annotations: { 'millrace.dev/submitter': '{"username":"bob"}' } }),
      'metadata.annotations[millrace.dev/submitter]',
    ],
  ])('%s may not change', (_, after, path) => {
    expect(verdict(after)).toBe(refused(path));
  });
});

function reversed(component: JsonObject): JsonObject {
  const template = Object.entries(component['template'] as JsonObject).toReversed();
  return { ...component, template: Object.fromEntries(template) };
}

/** With the null that generated manifests contain. */
function withNull(component: JsonObject): JsonObject {
  const { metadata, ...template } = component['template'] as { readonly metadata: JsonObject };
  return {
    ...component,
    template: { ...template, metadata: { ...metadata, creationTimestamp: null } },
  };
}
