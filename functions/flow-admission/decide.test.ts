import { describe, expect, it } from 'vitest';
import type { Review } from '#shared/domain/admission-decision.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { inheritedNames } from '#shared/domain/testing/inherited-names.ts';
import { submitterText } from '#shared/domain/submitter.ts';
import { decide } from './decide.ts';
import { withSubmitter } from './submission.ts';
import { ann, daemonJob, flow, job, step, submitted, template, update } from './testing/reviews.ts';
import { facts, decided, messageOf, warningsOf } from './testing/decided.ts';

it('a good flow is allowed without a word', () => {
  expect(decided(flow([step('a'), step('b', { dependencies: ['a'] })]))).toEqual({ allowed: true });
});

it('a good template is allowed without a word', () => {
  expect(decided(template(job()))).toEqual({ allowed: true });
});

it('a good DaemonJob is allowed without a word', () => {
  expect(decided(daemonJob(job()))).toEqual({ allowed: true });
});

describe('the submitter', () => {
  const recorded = withSubmitter(flow([step('a')]), submitterText(ann));

  it.each([
    ['none', flow([step('a')])],
    ['another user', withSubmitter(flow([step('a')]), '{"username":"system:admin"}')],
  ])(
    'is not denied but unknown when %s is recorded on creation and no answer came in time',
    (_, object) => {
      expect(() => decide(submitted(object), facts)).toThrow(
        expect.objectContaining({ code: 'MR_REVIEW_UNRECORDED', class: 'retryable' }),
      );
      expect(() => decide(submitted(object), facts)).toThrow(
        'the annotation millrace.dev/submitter must name ann,',
      );
    },
  );

  it.each([
    ['no user', flow([step('b')])],
    ['another user', withSubmitter(flow([step('b')]), '{"username":"carol"}')],
  ])('is the user who changes what it runs, where the object names %s', (_, before) => {
    expect(decide(update(before, recorded), facts)).toEqual({ allowed: true });
    const bob: Review = { ...update(before, recorded), user: { ...ann, username: 'bob' } };
    expect(() => decide(bob, facts)).toThrow(
      expect.objectContaining({ code: 'MR_REVIEW_UNRECORDED' }),
    );
  });

  it.each([
    ['changed', withSubmitter(recorded, '{"username":"bob"}')],
    ['removed', flow([step('a')])],
  ])('cannot be %s afterwards, by any user', (_, after) => {
    expect(messageOf(decide(update(recorded, after), undefined))).toBe(
      '403 Forbidden: metadata.annotations: millrace.dev/submitter names the submitter and cannot be changed',
    );
  });

  it('cannot be added to what was created without one when nothing is run otherwise', () => {
    const before = flow([step('a')]);
    expect(decide(update(before, recorded), undefined)).toMatchObject({ allowed: false });
  });

  it('of another object is no matter of an update that runs nothing else', () => {
    const bob: Review = { ...update(recorded, recorded), user: { ...ann, username: 'bob' } };
    expect(decide(bob, undefined)).toEqual({ allowed: true });
  });
});

describe('who may not create Jobs', () => {
  it('may not submit what runs them, and learns why', () => {
    const mayCreateJobs = { allowed: false, reason: 'no RBAC policy matched' };
    expect(messageOf(decided(flow([step('a')]), { mayCreateJobs }))).toBe(
      '403 Forbidden: ann may not create jobs.batch in the namespace team-a, and a JobFlow runs Jobs there with the rights of the user who submits it: no RBAC policy matched',
    );
  });

  it('learns that much also where no authorizer says why', () => {
    expect(messageOf(decided(flow([step('a')]), { mayCreateJobs: { allowed: false } }))).toMatch(
      /with the rights of the user who submits it$/,
    );
  });

  it('learns nothing else of the object', () => {
    const cyclic = flow([step('a', { dependencies: ['b'] }), step('b', { dependencies: ['a'] })]);
    expect(decided(cyclic, { mayCreateJobs: { allowed: false } })).toMatchObject({ code: 403 });
  });
});

describe('what cannot be run is refused', () => {
  it.each<[string, JsonObject]>([
    [
      'spec.flows[0].dependencies[0]: the dependencies form a cycle: a -> c -> b -> a',
      flow([
        step('a', { dependencies: ['c'] }),
        step('b', { dependencies: ['a'] }),
        step('c', { dependencies: ['b'] }),
      ]),
    ],
    [
      'spec.flows[0].dependencies[0]: step "test" depends on "biuld", which is no step of this flow; did you mean "build"?',
      flow([step('test', { dependencies: ['biuld'] }), step('build')]),
    ],
    [
      'spec.flows[0].jobTemplate.template.spec.containers: must be a list of at least one container, found []',
      flow([step('a', { jobTemplate: job({ containers: [] }) })]),
    ],
    [
      'spec.flows[0]: step "a": template.spec.volumes is not a list of objects',
      flow([step('a', { jobTemplate: job({ volumes: 'all' }) })]),
    ],
    [
      'spec.jobTemplate: step "template": template.spec.volumes is not a list of objects',
      template(job({ volumes: 'all' })),
    ],
    ['spec: template.spec.volumes is not a list of objects', daemonJob(job({ volumes: 'all' }))],
    // No Job can be made from it.
    [
      'spec: template.spec.containers is not a list of objects',
      daemonJob({ template: { spec: {} } }),
    ],
    [
      'spec.template.spec.containers: must be a list of at least one container, found []',
      daemonJob(job({ containers: [] })),
    ],
  ])('%s', (message, object) => {
    expect(messageOf(decided(object))).toBe(`422 Invalid: ${message}`);
  });

  it('a JobTemplate that clashes with a shared volume of the flow', () => {
    const volume = (medium: string) => ({ name: 'data', emptyDir: { medium } });
    const object = flow([{ name: 'a', jobTemplateRef: 't' }], { shareVolumes: [volume('')] });
    const templates = { t: job({ volumes: [volume('Memory')] }) as never };
    expect(messageOf(decided(object, { templates }))).toContain(
      'the template has its own volume "data" with another source than the shared one',
    );
  });
});

describe('a warning and nothing else', () => {
  const shell = { name: 'main', image: 'busybox', command: ['sleep 5'] };
  it.each<[string, JsonObject]>([
    [
      'step "a": restartPolicy OnFailure becomes Never: what fails is replaced (backoffLimit), not restarted',
      flow([step('a', { jobTemplate: job({ restartPolicy: 'OnFailure' }) })]),
    ],
    [
      'step "a": retryPolicy and backoffLimit multiply, to 12 Pods in all',
      flow([step('a', { retryPolicy: { limit: 2 }, jobTemplate: job({}, { backoffLimit: 3 }) })]),
    ],
    [
      'step "a": its Job is created suspended, and Millrace does not resume it',
      flow([step('a', { jobTemplate: job({}, { suspend: true }) })]),
    ],
    [
      'step "a": container "main" runs a program called "sleep 5"; for words write ["sleep","5"]',
      flow([step('a', { jobTemplate: job({ containers: [shell] }) })]),
    ],
    [
      'spec.jobTemplate: container "main" runs a program called "sleep 5"; for words write ["sleep","5"]',
      template(job({ containers: [shell] })),
    ],
    [
      'spec.template: restartPolicy Always becomes Never: what fails is replaced (backoffLimit), not restarted',
      daemonJob(job({ restartPolicy: 'Always' })),
    ],
    [
      'spec.template.spec.nodeName is left out: each node has a Job',
      daemonJob(job({ nodeName: 'minikube' })),
    ],
    [
      'spec.ttlSecondsAfterFinished is 0: the flow is removed with its status as soon as it ends',
      flow([step('a')], { ttlSecondsAfterFinished: 0 }),
    ],
    [
      'spec.shareVolumes: "data" is mounted by no container',
      flow([step('a')], { shareVolumes: [{ name: 'data', emptyDir: {} }] }),
    ],
  ])('%s', (warning, object) => {
    expect(decided(object)).toEqual({ allowed: true, warnings: [warning] });
  });

  const data = { name: 'data', emptyDir: {} };
  const mount = [{ name: 'data', mountPath: '/data' }];
  it.each<[string, JsonObject]>([
    ['the flow mounts for all of its steps', { shareVolumeMounts: mount }],
    ['a step mounts', { flows: [step('a', { shareVolumeMounts: mount })] }],
    [
      'a container mounts',
      {
        flows: [
          step('a', {
            jobTemplate: job({ containers: [{ ...shell, command: [], volumeMounts: mount }] }),
          }),
        ],
      },
    ],
  ])('not of a shared volume that %s', (_, { flows = [step('a')], ...spec }) => {
    const object = flow(flows as never, { shareVolumes: [data], ...spec });
    expect(decided(object)).toEqual({ allowed: true });
  });

  it('a JobTemplate or a node that is not there: it may come', () => {
    const object = flow([{ name: 'a', jobTemplateRef: 't' }], { globalParams: { nodeName: 'n' } });
    const known = { templates: { t: null }, missingNodes: ['n'] };
    expect(decided(object, known)).toEqual({
      allowed: true,
      warnings: [
        'there is no JobTemplate "t" in the namespace team-a yet',
        'there is no node "n": no Pod that is bound to it will run',
      ],
    });
  });

  it('none of a JobTemplate that is there', () => {
    const object = flow([{ name: 'a', jobTemplateRef: 't' }]);
    expect(decided(object, { templates: { t: job() as never } })).toEqual({ allowed: true });
  });

  it('a node that is excluded and not there', () => {
    const object = daemonJob({ ...job(), excludeNodeList: 'minikube, node-x' });
    expect(warningsOf(decided(object, { missingNodes: ['node-x'] }))).toEqual([
      'there is no node "node-x": spec.excludeNodeList excludes nothing by it',
    ]);
  });

  it.each([
    ['a command of one word', { command: ['/bin/run-all.sh'] }],
    ['a command with its words apart', { command: ['sleep', '5'] }],
    ['a shell script', { command: ['sh', '-c', 'sleep 5; echo done'] }],
  ])('none for %s', (_, fields) => {
    const containers = [{ name: 'main', image: 'busybox', ...fields }];
    const object = flow([step('a', { jobTemplate: job({ containers }) })]);
    expect(decided(object)).toEqual({ allowed: true });
  });
});

describe('names that objects inherit', () => {
  it.each(inheritedNames)('a JobTemplate called %s is waited for like any other', (name) => {
    const templates = Object.fromEntries([[name, null]]);
    const decision = decided(flow([{ name: 'a', jobTemplateRef: name }]), { templates });
    expect(decision).toMatchObject({
      allowed: true,
      warnings: [`there is no JobTemplate "${name}" in the namespace team-a yet`],
    });
    expect(decided(flow([{ name: 'a', jobTemplateRef: name }]))).toEqual({ allowed: true });
  });

  it.each(inheritedNames)('a service account called %s takes its right', (serviceAccountName) => {
    const object = flow([step('a', { jobTemplate: job({ serviceAccountName }) })]);
    const unasked = 'for which 100 others left no room';
    expect(messageOf(decided(object))).toContain(unasked);
    const refused = Object.fromEntries([[serviceAccountName, false]]);
    expect(messageOf(decided(object, { mayImpersonate: refused }))).toContain(
      'which ann may not impersonate',
    );
    const mayImpersonate = Object.fromEntries([[serviceAccountName, true]]);
    expect(decided(object, { mayImpersonate }).allowed).toBe(true);
  });
});

describe('what lies beyond the bound of judging', () => {
  const referring = (count: number): JsonObject =>
    flow(Array.from({ length: count }, (_, i) => ({ name: `s${i}`, jobTemplateRef: `t${i}` })));

  it('is refused with the bound where a flow refers to too many JobTemplates', () => {
    expect(messageOf(decided(referring(201)))).toBe(
      '422 Invalid: spec.flows: steps refer to 201 different JobTemplates, and at most 200 are judged for one flow; use fewer JobTemplates, or split the flow',
    );
    expect(decided(referring(200)).allowed).toBe(true);
  });

  it('is refused with the bound where an object uses too many service accounts', () => {
    const accounts = Array.from({ length: 101 }, (_, index) => `a${index}`);
    const steps = accounts.map((serviceAccountName, index) =>
      step(`s${index}`, { jobTemplate: job({ serviceAccountName }) }),
    );
    const asked = accounts.slice(0, 100).map((name) => [name, true] as const);
    expect(messageOf(decided(flow(steps), { mayImpersonate: Object.fromEntries(asked) }))).toBe(
      '403 Forbidden: step "s100": template.spec.serviceAccountName: the Pod runs as the service account a100, for which 100 others left no room: at most 100 service accounts of one object are judged; use fewer service accounts, or split the object (policy serviceAccount)',
    );
  });
});
