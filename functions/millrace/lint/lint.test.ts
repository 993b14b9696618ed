import { readFile } from 'node:fs/promises';
import { describe, expect, it, test } from 'vitest';
import { stringify } from 'yaml';
import { beyondCrdCases, verdictTable } from '#shared/api/testing/verdict-table.ts';
import { defaultPolicy, type PodPolicy } from '#shared/policy/pod-policy.ts';
import { formatted } from './formats.ts';
import { manifestsIn } from '../manifests/manifests.ts';
import type { Source } from '../manifests/sources.ts';
import { lintManifests } from './lint-manifests.ts';
import { outputFaults } from '../testing/output-shape.ts';

const text = await readFile(new URL('testing/faults.txt', import.meta.url), 'utf8');
const source = { file: 'faults.yaml', text };
const linted = (sources: readonly Source[], policy: PodPolicy = defaultPolicy) =>
  lintManifests(manifestsIn(sources), policy);
const { findings, judged, skipped } = linted([source]);

/** Without anchors and aliases, as a user writes it. */
const yaml = (object: unknown) => stringify(object, { aliasDuplicateObjects: false });

function errorsIn(object: unknown) {
  const { findings: found } = linted([{ file: 'a.yaml', text: yaml(object) }]);
  return found.filter(({ severity }) => severity === 'error');
}

describe('lint has the rules of the CRDs and of admission', () => {
  const cases = [...verdictTable, ...beyondCrdCases];
  it.each(cases.filter(({ faultAt }) => faultAt !== undefined))(
    'refuses: $rule',
    ({ object, faultAt }) => {
      expect(errorsIn(object).map(({ path }) => path)).toContain(faultAt);
    },
  );
});

test('a file is judged object by object, and each finding has its place', () => {
  const places = findings.map(({ line, column, object, path }) => [line, column, object, path]);
  expect(places).toEqual([
    [7, 5, 'JobFlow/bad', 'metadata.annotations[millrace.dev/retri]'],
    [14, 13, 'JobFlow/bad', 'spec.flows[0].jobTemplate.template.spec.hostNetwork'],
    [19, 22, 'JobFlow/bad', 'spec.flows[1].dependencies[0]'],
    [34, 13, 'JobFlow/host', 'spec.flows[0].jobTemplate.template.spec.hostNetwork'],
    [45, 5, 'SuspendPolicy/p', 'spec.schedule.timeZone'],
    [46, 25, 'SuspendPolicy/p', 'spec.schedule.windows[0].open'],
    [53, 1, '', ''],
  ]);
  expect(judged).toBe(3);
  expect(skipped).toEqual(['ConfigMap/other']);
});

describe('faults of every layer are reported in one run', () => {
  const placesIn = (lines: string) => {
    const { findings: found } = linted([{ file: 'a.yaml', text: lines }]);
    return found.map(({ line, column, message }) => `${line}:${column} ${message}`);
  };

  it('an unknown field, a duplicate step, a cycle, a breach of policy, and faults of templates', () => {
    expect(
      placesIn(`
apiVersion: api.practice.com/v1alpha1
kind: JobFlow
metadata: {name: layers}
spec:
  paralelism: 2
  flows:
    - name: a
      dependencies: [b, b, lost]
      jobTemplate:
        template:
          spec:
            hostNetwork: true
            containers:
              - {name: main, comand: [sh], image: busybox}
    - name: b
      dependencies: [a]
      jobTemplate: {template: {spec: {containers: [{name: main}]}}}
    - name: b
      jobTemplate: {template: {spec: {containers: [{name: main, image: busybox, tty: 1}]}}}
`),
    ).toEqual([
      '6:3 unknown field, did you mean parallelism?',
      '9:22 the dependencies form a cycle: a -> b -> a',
      '9:25 duplicate: "b"',
      '9:28 step "a" depends on "lost", which is no step of this flow',
      '13:13 step "a": template.spec.hostNetwork: true shares it with the node; leave it out (policy hostNamespaces, profile baseline)',
      '15:30 unknown field, which the API server drops, did you mean command?',
      '18:52 required',
      '19:7 duplicate: {"name":"b"}',
      '20:81 must be boolean, found 1',
    ]);
  });

  it('what only follows from a fault is not reported', () => {
    expect(
      placesIn(`
apiVersion: api.practice.com/v1alpha1
kind: JobFlow
metadata: {name: layers}
spec:
  flows:
    - name: a
      jobTemplat: {template: {spec: {containers: [{name: main, image: busybox}]}}}
    - name: b
      dependencies: [a]
      jobTemplate: {template: {spec: {}}}
`),
    ).toEqual(['8:7 unknown field, did you mean jobTemplate?', '11:32 required']);
  });

  it('a component of a wrapper is judged as an object of its kind', () => {
    const template = {
      ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' } },
      spec: { template: { spec: { containers: [{ name: 'main', imag: 'busybox' }] } } },
    };
    const wrapper = {
      ...{ apiVersion: 'workload.codeflare.dev/v1beta2', kind: 'AppWrapper' },
      ...{ metadata: { name: 'w' }, spec: { components: [{ template }] } },
    };
    const at = 'spec.components[0].template.spec.template.spec.containers[0]';
    expect(errorsIn(wrapper).map(({ path }) => path)).toEqual(
      expect.arrayContaining([`${at}.imag`, `${at}.image`]),
    );
  });
});

test('an object is judged by the name that generateName leads to', () => {
  const template = { spec: { containers: [{ name: 'main', image: 'busybox' }] } };
  const metadata = { generateName: 'gen-' };
  const made = { apiVersion: 'api.practice.com/v1alpha1', metadata };
  const flows = [{ name: 'a', jobTemplate: { template } }];
  expect(errorsIn({ ...made, kind: 'JobFlow', spec: { flows } })).toEqual([]);
  expect(errorsIn({ ...made, kind: 'DaemonJob', spec: { template } })).toEqual([]);
  const long = [{ name: 'a'.repeat(52), jobTemplate: { template } }];
  expect(errorsIn({ ...made, kind: 'JobFlow', spec: { flows: long } })).toMatchObject([
    { path: 'spec.flows[0].name' },
  ]);
});

test('a field without a value is judged as the API server reads it', () => {
  const template = { spec: { containers: [{ name: 'main', image: 'busybox' }] } };
  const flows = [{ name: 'a', dependencies: null, jobTemplate: { template } }];
  const made = {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobFlow',
    metadata: { name: 'f' },
  };
  expect(errorsIn({ ...made, spec: { flows } })).toEqual([]);
});

test('the policy decides about Pods', () => {
  const policy = { profile: 'privileged', exceptions: { hostNamespaces: 'allow' } } as const;
  const { findings: left } = linted([source], policy);
  expect(left.map(({ object }) => object)).not.toContain('JobFlow/host');
});

test('a flow is judged with a JobTemplate of another file', () => {
  const { flow, template } = onHostNetwork;
  const files = [flow, template].map((object, index) => ({
    file: `${index}.yaml`,
    text: yaml(object),
  }));
  const alone = linted(files.slice(0, 1)).findings;
  const together = linted(files).findings;
  expect(alone).toEqual([]);
  expect(together.map(({ file, path }) => [file, path])).toEqual([
    ['0.yaml', 'spec.flows[0].jobTemplateRef'],
    ['1.yaml', 'spec.jobTemplate.template.spec.hostNetwork'],
  ]);
});

test('a text whose aliases cannot be followed is a finding', () => {
  const { findings: found } = linted([{ file: 'a.yaml', text: 'a: *b\n' }]);
  expect(found).toMatchObject([{ file: 'a.yaml', line: 1, severity: 'error' }]);
});

test('the items of a List are judged, each in its place', () => {
  const { flow, template } = onHostNetwork;
  const list = { apiVersion: 'v1', kind: 'List', items: [flow, template] };
  const { findings: found, judged: count } = linted([{ file: 'a.yaml', text: yaml(list) }]);
  expect(count).toBe(2);
  expect(found.map(({ line, object }) => [line, object])).toEqual([
    [11, 'JobFlow/f'],
    [20, 'JobTemplate/t'],
  ]);
});

test('findings stand in the order of the files, also where nothing of a file can be read', () => {
  const files = [
    { file: 'b.yaml', text: 'a: *b\n' },
    { file: 'a.yaml', text: yaml({ ...onHostNetwork.template, spec: {} }) },
  ];
  expect(linted(files).findings.map(({ file }) => file)).toEqual(['b.yaml', 'a.yaml']);
});

test('each format has every finding', () => {
  const lines = formatted(findings, 'text', '1.0.0');
  expect(lines[2]).toMatch(/^faults\.yaml:19:22: error: JobFlow\/bad: .*did you mean "load"\?$/);
  const data = formatted(findings, 'json', '1.0.0').map((line) => JSON.parse(line) as unknown);
  expect(data).toEqual(findings);
  expect(data.flatMap(outputFaults('lint'))).toEqual([]);
  expect(formatted(findings, 'github', '1.0.0')[2]).toMatch(
    /^::error file=faults\.yaml,line=19,col=22::JobFlow\/bad: /,
  );
  const [sarif = ''] = formatted(findings, 'sarif', '1.0.0');
  const { version, runs } = JSON.parse(sarif) as {
    version: string;
    runs: { results: unknown[] }[];
  };
  expect(version).toBe('2.1.0');
  expect(runs[0]?.results).toHaveLength(findings.length);
  expect(runs[0]?.results[2]).toMatchObject({
    ruleId: 'manifest-error',
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'faults.yaml' },
          region: { startLine: 19, startColumn: 22 },
        },
      },
    ],
  });
});

const apiVersion = 'api.practice.com/v1alpha1';
const podSpec = { hostNetwork: true, containers: [{ name: 'main', image: 'busybox' }] };
const onHostNetwork = {
  flow: {
    ...{ apiVersion, kind: 'JobFlow', metadata: { name: 'f' } },
    spec: { flows: [{ name: 'a', jobTemplateRef: 't' }] },
  },
  template: {
    ...{ apiVersion, kind: 'JobTemplate', metadata: { name: 't' } },
    spec: { jobTemplate: { template: { spec: podSpec } } },
  },
};

describe('an object whose kind is misspelt is not passed over', () => {
  const spec = 'metadata: {name: x}\nspec: {}\n';
  it.each([
    ['kind: JobFlow\n', '1:1 apiVersion: required: api.practice.com/v1alpha1'],
    [
      'apiVersion: api.practice.com/v1\nkind: JobFlow\n',
      '1:1 apiVersion: must be api.practice.com/v1alpha1 for a JobFlow, found "api.practice.com/v1"',
    ],
    [
      'apiVersion: api.practise.com/v1alpha1\nkind: DaemonJob\n',
      '1:1 apiVersion: must be api.practice.com/v1alpha1 for a DaemonJob, found "api.practise.com/v1alpha1"',
    ],
    [
      'apiVersion: millrace.dev/v1alpha1\nkind: SuspendPolcy\n',
      '2:1 kind: "SuspendPolcy" is no kind of millrace.dev, did you mean SuspendPolicy?',
    ],
    ['apiVersion: workload.codeflare.dev/v1beta2\n', '1:1 kind: required: AppWrapper'],
  ])('%j', (head, expected) => {
    const { findings: found, skipped: others } = linted([{ file: 'a.yaml', text: head + spec }]);
    const places = found.map(({ line, column, path, message }) =>
      [`${line}:${column}`, `${path}:`, message].join(' '),
    );
    expect(places).toEqual([expected]);
    expect(others).toEqual([]);
  });

  it.each([
    'apiVersion: flow.volcano.sh/v1alpha1\nkind: JobFlow\n',
    'apiVersion: apps/v1\nkind: Deployment\n',
    'replicas: 3\n',
  ])('an object of a foreign kind is: %j', (head) => {
    const { findings: found, skipped: others } = linted([{ file: 'a.yaml', text: head + spec }]);
    expect([found, others.length]).toEqual([[], 1]);
  });
});
