import { describe, expect, it } from 'vitest';
import { knownCluster } from '#shared/admission/testing/known-cluster.ts';
import type { Review } from '#shared/domain/admission-decision.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import type { JsonObject, NewObject } from '#shared/domain/objects.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import type { AccessQuestion } from '#shared/kube/access-review.ts';
import type { Inquiry } from '#shared/kube/inquiry.ts';
import { rememberingInquiry } from '#shared/kube/remembering-inquiry.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import { lookUp } from './facts.ts';
import { maxTrials } from './trials.ts';
import { ann, creation, daemonJob, flow, job, step, template, update } from './testing/reviews.ts';

const neverLeaves = new AbortController().signal;
const look = (review: Review, cluster: Inquiry, policy = defaultPolicy) =>
  lookUp(review, policy, cluster, neverLeaves);

/** The questions, as `verb plural name`, and the Jobs that are tried. */
function watched(answers: Partial<Pick<Inquiry, 'access' | 'tryCreate'>> = {}) {
  const questions: string[] = [];
  const tried: NewObject[] = [];
  const cluster = knownCluster(
    [
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'minikube' } },
      {
        ...(template(job({ hostPID: true })) as unknown as NewObject),
        metadata: { name: 'shared', namespace: 'team-a' },
      },
    ],
    {
      access: async (question) => {
        questions.push(nameOf(question));
        return (await answers.access?.(question)) ?? { allowed: true };
      },
      tryCreate: async (resource, object, signal) => {
        tried.push(object);
        return (await answers.tryCreate?.(resource, object, signal)) ?? { warnings: [] };
      },
    },
  );
  return { cluster, questions, tried };
}

function nameOf({ user, verb, resource, namespace, name = '*' }: AccessQuestion): string {
  return `${user.username} ${verb} ${resource.plural} ${namespace}/${name}`;
}

const distinct = (count: number): readonly JsonObject[] =>
  Array.from({ length: count }, (_, index) =>
    step(`s${index}`, { jobTemplate: job({ nodeSelector: { n: String(index) } }) }),
  );

describe('what is asked', () => {
  it('nothing, when nothing that runs is changed', async () => {
    const { cluster, questions, tried } = watched();
    const object = flow([step('a')]);
    expect(await look(update(object, { ...object, metadata: { name: 'etl' } }), cluster)).toBe(
      undefined,
    );
    expect([questions, tried]).toEqual([[], []]);
  });

  it('nothing, when a user suspends or resumes: nothing else is run, nor in another name', async () => {
    const { cluster, questions } = watched();
    const running = flow([step('a')]);
    const suspended = { ...running, spec: { ...(running['spec'] as JsonObject), suspend: true } };
    expect(await look(update(running, suspended), cluster)).toBeUndefined();
    expect(await look(update(suspended, running), cluster)).toBeUndefined();
    expect(questions).toEqual([]);
  });

  it('one right and one trial for steps that are alike', async () => {
    const { cluster, questions, tried } = watched();
    const facts = await look(creation(flow([step('a'), step('b'), step('c')])), cluster);
    expect(facts).toEqual({
      policy: defaultPolicy,
      mayCreateJobs: { allowed: true },
      mayImpersonate: {},
      templates: {},
      missingNodes: [],
      trials: { 0: { warnings: [] } },
    });
    expect(questions).toEqual(['ann create jobs team-a/*']);
    expect(tried.map(({ metadata }) => metadata.name)).toEqual(['etl-a']);
  });

  it.each([
    [
      'flows',
      (name: string) => ({ ...flow([step('a')]), metadata: { name, uid: `uid-of-${name}` } }),
    ],
    [
      'DaemonJobs',
      (name: string) => ({ ...daemonJob(job()), metadata: { name, uid: `uid-of-${name}` } }),
    ],
  ])('one right and one trial for many %s that are alike, of one user', async (_, named) => {
    const { cluster, questions, tried } = watched();
    const remembering = rememberingInquiry(cluster, virtualClock());
    for (const name of ['one', 'two', 'three']) await look(creation(named(name)), remembering);
    expect([questions.length, tried.length]).toEqual([1, 1]);
  });

  it('a trial has no owner, since there is none yet', async () => {
    const { cluster, tried } = watched();
    await look(creation(flow([step('a')])), cluster);
    expect(tried[0]?.metadata).not.toHaveProperty('ownerReferences');
    expect(tried[0]?.metadata.namespace).toBe('team-a');
  });

  it('a trial of a JobTemplate in the namespace of the template', async () => {
    const { cluster, tried } = watched();
    await look(creation(template(job())), cluster);
    expect(tried.map(({ metadata }) => metadata.namespace)).toEqual(['team-a']);
  });

  it('the right of the user who changes what runs, who may be another one', async () => {
    const { cluster, questions } = watched();
    const change = update(flow([step('a')]), flow([step('b')]));
    await look({ ...change, user: { ...ann, username: 'bob' } }, cluster);
    expect(questions).toEqual(['bob create jobs team-a/*']);
  });

  it('each service account once, but for the default one and those that policy allows', async () => {
    const { cluster, questions } = watched();
    const as = (serviceAccountName: string, name: string) =>
      step(name, { jobTemplate: job({ serviceAccountName }) });
    const object = flow([as('default', 'a'), as('x', 'b'), as('y', 'c'), as('z', 'd')]);
    const facts = await look(creation(object), cluster, {
      ...defaultPolicy,
      exceptions: { 'serviceAccount:z': 'allow' },
    });
    expect(questions.slice(1)).toEqual([
      'ann impersonate serviceaccounts team-a/x',
      'ann impersonate serviceaccounts team-a/y',
    ]);
    expect(facts?.mayImpersonate).toEqual({ x: true, y: true });
  });

  it('a hundred service accounts at most', async () => {
    const { cluster, questions } = watched();
    const steps = Array.from({ length: 101 }, (_, index) =>
      step(`s${index}`, { jobTemplate: job({ serviceAccountName: `a${index}` }) }),
    );
    const facts = await look(creation(flow(steps)), cluster);
    expect(questions.filter((question) => question.includes('impersonate'))).toHaveLength(100);
    expect(Object.keys(facts?.mayImpersonate ?? {})).toHaveLength(100);
  });

  it('every JobTemplate that a flow refers to, and none of a flow that refers to too many', async () => {
    const { cluster } = watched();
    const referring = (count: number) =>
      flow(Array.from({ length: count }, (_, i) => ({ name: `s${i}`, jobTemplateRef: `t${i}` })));
    const judged = await look(creation(referring(200)), cluster);
    expect(Object.keys(judged?.templates ?? {})).toHaveLength(200);
    expect((await look(creation(referring(201)), cluster))?.templates).toEqual({});
  });

  it('no right to anything else that policy refuses: that is not asked for', async () => {
    const { cluster, questions } = watched();
    const onHost = { hostNetwork: true, volumes: [{ name: 'etc', hostPath: { path: '/etc' } }] };
    const facts = await look(creation(flow([step('a', { jobTemplate: job(onHost) })])), cluster);
    expect(questions).toEqual(['ann create jobs team-a/*']);
    expect(facts?.mayImpersonate).toEqual({});
  });

  it('a trial of what a flow adds, with an image of no meaning, where its JobTemplate is not there', async () => {
    const { cluster, tried } = watched();
    const shareVolumes = [{ name: 'data', emptyDir: {} }];
    await look(creation(flow([{ name: 'a', jobTemplateRef: 'other' }], { shareVolumes })), cluster);
    // The API server would refuse it without an image, and the flow with it.
    expect(tried.map(({ spec }) => spec)).toMatchObject([
      {
        template: {
          spec: { containers: [{ name: 'main', image: 'stand-in' }], volumes: shareVolumes },
        },
      },
    ]);
  });

  it('one trial for all nodes of a DaemonJob, and the nodes that it excludes', async () => {
    const { cluster, tried } = watched();
    const object = daemonJob({ ...job(), excludeNodeList: 'minikube, elsewhere' });
    const facts = await look(creation(object), cluster);
    expect(tried).toHaveLength(1);
    expect(facts?.missingNodes).toEqual(['elsewhere']);
  });

  it('twenty nodes at most', async () => {
    const { cluster } = watched();
    const excludeNodeList = Array.from({ length: 21 }, (_, index) => `n${index}`).join(', ');
    const facts = await look(creation(daemonJob({ ...job(), excludeNodeList })), cluster);
    expect(facts?.missingNodes).toHaveLength(20);
  });

  it('templates and nodes that are named', async () => {
    const { cluster } = watched();
    const steps = [
      { name: 'a', jobTemplateRef: 'shared' },
      { name: 'b', jobTemplateRef: 'other' },
      step('c', { jobTemplate: job({ nodeName: 'elsewhere' }) }),
    ];
    const facts = await look(
      creation(flow(steps, { globalParams: { nodeName: 'minikube' } })),
      cluster,
    );
    expect(facts?.templates).toEqual({ shared: job({ hostPID: true }), other: null });
    expect(facts?.missingNodes).toEqual(['elsewhere']);
  });
});

describe('what is not tried', () => {
  it('what cannot be run, and what is not permitted', async () => {
    const cyclic = flow([step('a', { dependencies: ['b'] }), step('b', { dependencies: ['a'] })]);
    const { cluster, tried } = watched();
    expect(await look(creation(cyclic), cluster)).toMatchObject({
      ...{ templates: {}, missingNodes: [], trials: {} },
    });
    const refusing = watched({ access: async () => ({ allowed: false }) });
    await look(creation(flow([step('a')])), refusing.cluster);
    expect([tried, refusing.tried]).toEqual([[], []]);
  });

  it('more than so many Jobs', async () => {
    const { cluster, tried } = watched();
    const facts = await look(creation(flow(distinct(maxTrials + 5))), cluster);
    expect(tried).toHaveLength(maxTrials);
    expect(Object.keys(facts?.trials ?? {})).toHaveLength(maxTrials);
  });

  it('anything more once the caller has left', async () => {
    const leaving = new AbortController();
    const { cluster, tried } = watched({
      tryCreate: async () => {
        leaving.abort();
        return { warnings: [] };
      },
    });
    const review = creation(flow(distinct(9)));
    await lookUp(review, defaultPolicy, cluster, leaving.signal).catch(() => undefined);
    expect(tried.length).toBeLessThan(9);
  });

  it('the rest after a trial that the API server does not answer', async () => {
    const silent = new MillraceError('MR_API_UNREACHABLE', {
      verb: 'create',
      path: '',
      detail: '',
    });
    const { cluster } = watched({ tryCreate: () => Promise.reject(silent) });
    const facts = await look(creation(flow(distinct(9))), cluster);
    expect(facts?.trials).toEqual({});
  });
});

describe('when the API server does not say', () => {
  const silent = new MillraceError('MR_API_UNREACHABLE', { verb: 'create', path: '', detail: '' });

  it('the rights are unknown: the review fails, and the failure policy counts', async () => {
    const { cluster } = watched({ access: () => Promise.reject(silent) });
    await expect(look(creation(flow([step('a')])), cluster)).rejects.toBe(silent);
  });

  it('which nodes there are, since it is not shown, nothing is said of them', async () => {
    const { cluster } = watched();
    const hidden = new MillraceError('MR_API_FORBIDDEN', { verb: 'get', path: '', detail: '' });
    const reader = { ...cluster.reader, get: () => Promise.reject(hidden) };
    const object = flow([step('a')], { globalParams: { nodeName: 'minikube' } });
    expect((await look(creation(object), { ...cluster, reader }))?.missingNodes).toEqual([]);
  });

  it('what nodes there are is an error where the API server fails to say it', async () => {
    const { cluster } = watched();
    const failed = new MillraceError('MR_API_RETRYABLE', { verb: 'get', path: '', detail: '' });
    const reader = { ...cluster.reader, get: () => Promise.reject(failed) };
    const object = flow([step('a')], { globalParams: { nodeName: 'minikube' } });
    await expect(look(creation(object), { ...cluster, reader })).rejects.toBe(failed);
  });
});
