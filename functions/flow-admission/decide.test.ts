import { describe, expect, it } from 'vitest';
import type { AdmissionDecision, Review } from '#shared/domain/admission-decision.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { inheritedNames } from '#shared/domain/testing/inherited-names.ts';
import { submitterText } from '#shared/domain/submitter.ts';
import { defaultPolicy, type PodPolicy } from '#shared/policy/pod-policy.ts';
import { decide } from './decide.ts';
import type { SubmissionFacts } from './facts.ts';
import { withSubmitter } from './submission.ts';
import {
  ann,
  creation,
  daemonJob,
  flow,
  job,
  step,
  submitted,
  template,
  update,
} from './testing/reviews.ts';

const facts: SubmissionFacts = {
  policy: defaultPolicy,
  mayCreateJobs: { allowed: true },
  mayImpersonate: {},
  templates: {},
  missingNodes: [],
  trials: { 0: { warnings: [] } },
};

const decided = (object: JsonObject, known: Partial<SubmissionFacts> = {}): AdmissionDecision =>
  decide(creation(object), { ...facts, ...known });
const except = (exceptions: PodPolicy['exceptions']): PodPolicy => ({
  ...defaultPolicy,
  exceptions,
});
const messageOf = (decision: AdmissionDecision) =>
  decision.allowed ? undefined : `${decision.code} ${decision.reason}: ${decision.message}`;
const warningsOf = ({ warnings = [] }: AdmissionDecision) => warnings;

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

describe('the policy', () => {
  it('names step, field, reason and rule', () => {
    const object = flow([step('a'), step('b', { jobTemplate: job({ hostNetwork: true }) })]);
    expect(messageOf(decided(object))).toBe(
      '403 Forbidden: step "b": template.spec.hostNetwork: true shares it with the node; leave it out (policy hostNamespaces, profile baseline)',
    );
  });

  it('is asked of the Job as it will be: with what the flow adds', () => {
    const shareVolumes = [{ name: 'etc', hostPath: { path: '/etc' } }];
    const object = flow([step('a')], { shareVolumes });
    expect(messageOf(decided(object))).toContain('(policy hostPath, profile baseline)');
    const globalParams = { nodeName: 'n', nodeBinding: 'Direct' };
    expect(messageOf(decided(flow([step('a')], { globalParams })))).toContain('(policy nodeName)');
  });

  it('is asked also where the JobTemplate is not there yet', () => {
    const shareVolumes = [{ name: 'etc', hostPath: { path: '/etc' } }];
    const object = flow([{ name: 'a', jobTemplateRef: 't' }], { shareVolumes });
    expect(messageOf(decided(object, { templates: { t: null } }))).toContain('(policy hostPath, ');
  });

  it('under the profile restricted finds nothing in a JobTemplate that is not there yet', () => {
    const policy: PodPolicy = { profile: 'restricted', exceptions: {} };
    const object = flow([{ name: 'a', jobTemplateRef: 't' }]);
    const known = { policy, templates: { t: null } };
    expect(decided(object, known)).toMatchObject({ allowed: true });
    expect(messageOf(decided(flow([step('a')]), known))).toContain(
      'securityContext.runAsNonRoot: unset; write true here, or in the securityContext of the Pod (policy runAsNonRoot, profile restricted)',
    );
  });

  it('is asked of the JobTemplates that a flow names', () => {
    const templates = { t: job({ hostPID: true }) as never };
    const object = flow([{ name: 'a', jobTemplateRef: 't' }]);
    expect(messageOf(decided(object, { templates }))).toContain('(policy hostNamespaces, ');
  });

  it('is asked of the Jobs of a DaemonJob, which tolerate every taint with eligibility All', () => {
    const onHost = daemonJob(job({ hostPID: true }));
    expect(messageOf(decided(onHost))).toBe(
      '403 Forbidden: the Job of each node: template.spec.hostPID: true shares it with the node; leave it out (policy hostNamespaces, profile baseline)',
    );
    const everywhere = daemonJob({ ...job(), eligibility: 'All' });
    expect(messageOf(decided(everywhere))).toBe(
      '403 Forbidden: the Job of each node: spec.eligibility: All makes the Pod tolerate every taint; write Fitting, and in the template the tolerations that it needs (policy tolerations)',
    );
    expect(decided(everywhere, { policy: except({ tolerations: 'allow' }) })).toEqual({
      allowed: true,
    });
  });

  it('may warn instead, or allow', () => {
    const object = flow([step('a', { jobTemplate: job({ hostPID: true }) })]);
    const warned = decided(object, { policy: except({ hostNamespaces: 'warn' }) });
    expect(warned).toEqual({
      allowed: true,
      warnings: ['step "a": template.spec.hostPID: true shares it with the node; leave it out'],
    });
    expect(decided(object, { policy: except({ hostNamespaces: 'allow' }) })).toEqual({
      allowed: true,
    });
  });

  it('lets a Pod run as a service account that the submitter may impersonate, and no other', () => {
    const object = flow([step('a', { jobTemplate: job({ serviceAccountName: 'deployer' }) })]);
    expect(decided(object, { mayImpersonate: { deployer: true } })).toEqual({ allowed: true });
    expect(messageOf(decided(object, { mayImpersonate: { deployer: false } }))).toBe(
      '403 Forbidden: step "a": template.spec.serviceAccountName: the Pod runs as the service account deployer, which ann may not impersonate (policy serviceAccount)',
    );
    expect(decided(object)).toMatchObject({ allowed: false });
  });

  it('lets nothing else pass that has the name of such a service account', () => {
    const object = flow([step('a', { jobTemplate: job({ schedulerName: 'deployer' }) })]);
    expect(messageOf(decided(object, { mayImpersonate: { deployer: true } }))).toContain(
      '(policy schedulerName)',
    );
  });

  it('reports ten problems at most', () => {
    const add = Array.from({ length: 15 }, (_, index) => `CAP_${index}`);
    const containers = [{ name: 'main', securityContext: { capabilities: { add } } }];
    const message = messageOf(decided(flow([step('a', { jobTemplate: job({ containers }) })])));
    expect(message).toContain('CAP_9 is added');
    expect(message).not.toContain('CAP_10 is added');
    expect(message).toMatch(/; and 5 more$/);
    const ten = [{ name: 'main', securityContext: { capabilities: { add: add.slice(0, 10) } } }];
    expect(
      messageOf(decided(flow([step('a', { jobTemplate: job({ containers: ten }) })]))),
    ).not.toContain('more');
  });

  it('counts what it does not compare, too', () => {
    const add = Array.from({ length: 1_005 }, (_, index) => `CAP_${index}`);
    const twice = [...add.slice(0, 999), 'CAP_0', ...add.slice(999)];
    const containers = [{ name: 'main', securityContext: { capabilities: { add: twice } } }];
    const message = messageOf(decided(flow([step('a', { jobTemplate: job({ containers }) })])));
    expect(message).toMatch(/; and 995 more$/);
  });
});

describe('the trials', () => {
  const object = flow([step('a')]);
  const trial = (of: SubmissionFacts['trials'][number]) => ({ trials: { 0: of } });

  it('a Job that the API server will never take is refused in its words', () => {
    const rejection = { code: 'Invalid', message: 'Job.batch "etl-a" is invalid: x' } as const;
    expect(messageOf(decided(object, trial({ rejection, warnings: [] })))).toBe(
      '422 Invalid: step "a": Job.batch "etl-a" is invalid: x',
    );
  });

  it.each(['Forbidden', 'QuotaExceeded', 'Refused'] as const)(
    'a Job that is %s now may be taken later: a warning',
    (code) => {
      const rejection = { code, message: 'not now' };
      expect(decided(object, trial({ rejection, warnings: [] }))).toEqual({
        allowed: true,
        warnings: ['its Jobs would not be created now: not now'],
      });
    },
  );

  it('what the API server remarks is handed on', () => {
    expect(warningsOf(decided(object, trial({ warnings: ['x is deprecated'] })))).toEqual([
      'step "a": x is deprecated',
    ]);
  });

  describe('a field that the API server does not know', () => {
    const field = 'spec.template.spec.containers[0].comand';
    const unknown = trial({ warnings: [`unknown field "${field}"`] });
    const misspelt = (comand: string) => [step('a', { jobTemplate: misspeltJob(comand) })];
    const misspeltJob = (comand: string) =>
      job({ containers: [{ name: 'main', image: 'busybox', comand: [comand] }] });
    const by = (before: JsonObject, after: JsonObject, known: Partial<SubmissionFacts> = {}) =>
      decide(
        update(...([before, after].map((of) => withSubmitter(of, submitterText(ann))) as Pair)),
        { ...facts, ...unknown, ...known },
      );
    type Pair = [JsonObject, JsonObject];
    const words =
      'template.spec.containers[0].comand: the API server does not know this field, and the Job would run without it';
    const advice =
      'correct its spelling or its place, or remove it (kubectl explain job.spec.template.spec.containers)';

    it.each<[string, JsonObject]>([
      ['step "a"', flow(misspelt('run'))],
      ['spec.jobTemplate', template(misspeltJob('run'))],
      ['the Job of each node', daemonJob(misspeltJob('run'))],
    ])('is refused on creation in %s', (of, submitted) => {
      expect(messageOf(decided(submitted, unknown))).toBe(
        `422 Invalid: ${of}: ${words}; ${advice}`,
      );
    });

    it('is refused in a JobTemplate that a new flow refers to', () => {
      const templates = { t: misspeltJob('run') as never };
      const referring = flow([{ name: 'a', jobTemplateRef: 't' }]);
      expect(messageOf(decided(referring, { ...unknown, templates }))).toContain(words);
      expect(
        by(referring, flow([{ name: 'a', jobTemplateRef: 't' }], { failurePolicy: 'FailFast' }), {
          templates,
        }),
      ).toMatchObject({ allowed: true });
    });

    it.each<[string, JsonObject, JsonObject]>([
      ['added', flow([step('a')]), flow(misspelt('run'))],
      ['changed', flow(misspelt('run')), flow(misspelt('walk'))],
      ['added to a template', template(job()), template(misspeltJob('run'))],
      ['added to a DaemonJob', daemonJob(job()), daemonJob(misspeltJob('run'))],
      ['there in what was never valid', flow([]), flow(misspelt('run'))],
      [
        'there in what no Job could be made of',
        daemonJob({ template: { spec: {} } }),
        daemonJob(misspeltJob('run')),
      ],
    ])('is refused on an update when it is %s', (_, before, after) => {
      expect(messageOf(by(before, after))).toContain(`${words}; ${advice}`);
    });

    it('is a warning in what is stored, beside what else the API server remarks', () => {
      const stored = flow(misspelt('run'));
      const edited = flow(misspelt('run'), { failurePolicy: 'FailFast' });
      const remarked = trial({ warnings: ['x is deprecated', `unknown field "${field}"`] });
      expect(by(stored, edited, remarked)).toEqual({
        allowed: true,
        warnings: ['step "a": x is deprecated', `step "a": ${words}`],
      });
    });

    it.each<[string, string, JsonObject, JsonObject]>([
      [
        'the rest of a flow changes',
        'step "a"',
        flow(misspelt('run')),
        flow(misspelt('run'), { globalParams: { labels: { team: 'a' } } }),
      ],
      [
        'another field of the container changes',
        'spec.jobTemplate',
        template(misspeltJob('run')),
        template(job({ containers: [{ name: 'main', image: 'busybox:2', comand: ['run'] }] })),
      ],
      [
        'the nodes of a DaemonJob change',
        'the Job of each node',
        daemonJob(misspeltJob('run')),
        daemonJob({ ...misspeltJob('run'), excludeNodeList: 'n' }),
      ],
    ])('is a warning in what is stored, when %s', (_, of, before, after) => {
      expect(by(before, after)).toEqual({ allowed: true, warnings: [`${of}: ${words}`] });
    });
  });

  it('a taken name is reported on creation, and is its own Job afterwards', () => {
    const taken = trial({ warnings: [], isTaken: true });
    expect(warningsOf(decided(object, taken))).toEqual([
      'step "a": there is a Job etl-a already, and nothing starts under its name until it is gone',
    ]);
    const recorded = withSubmitter(object, submitterText(ann));
    const edited = withSubmitter(flow([step('a')], { suspend: true }), submitterText(ann));
    expect(decide(update(recorded, edited), { ...facts, ...taken })).toEqual({ allowed: true });
  });

  it('what was not tried is said', () => {
    const two = flow([step('a'), step('b', { jobTemplate: job({ nodeSelector: { a: 'b' } }) })]);
    expect(warningsOf(decided(two))).toEqual([
      '1 of 2 different Jobs were tried with the API server; a fault in the others is reported when they start',
    ]);
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
