/** Kueue's rules in Kueue's words (v0.19 jobframework/validation.go and its tests). */
import { describe, expect, it } from 'vitest';
import { knownCluster } from '#shared/admission/testing/known-cluster.ts';
import type { AccessQuestion } from '#shared/kube/access-review.ts';
import { suspendAdmissions } from './testing/admissions.ts';
import {
  answer,
  clock,
  creation,
  object,
  type ObjectFields,
  policies,
  queueLabel,
  update,
} from './testing/reviews.ts';

const [, checkQueue] = suspendAdmissions({ policies: policies(), clock });
const [, beside] = suspendAdmissions({ policies: policies([], {}, ['team-a/default']), clock });
const key = (name: string) => `kueue.x-k8s.io/${name}`;
const label = (name: string) => `metadata.labels[${key(name)}]`;
const annotation = (name: string) => `metadata.annotations[${key(name)}]`;
const noSubdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
  "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const suspended = { suspend: true };
const running = { suspend: false };

const queued = (fields: ObjectFields = {}) => ({ labels: { [queueLabel]: 'q' }, ...fields });

function refusal(message: string) {
  return { allowed: false, code: 403, reason: 'Forbidden', message };
}

describe('what is created', () => {
  it.each<[string, ObjectFields, string]>([
    [
      'a queue name that is none',
      { labels: { [queueLabel]: 'indexed_job' } },
      `${label('queue-name')}: Invalid value: "indexed_job": ${noSubdomain}`,
    ],
    [
      'a prebuilt Workload',
      { labels: { [key('prebuilt-workload-name')]: 'wl' } },
      `${label('prebuilt-workload-name')}: Forbidden: Is not supported for "api.practice.com/v1alpha1, Kind=JobFlow"`,
    ],
    [
      'a prebuilt Workload by an annotation, which goes before the label',
      {
        labels: { [key('prebuilt-workload-name')]: 'other' },
        annotations: { [key('prebuilt-workload-name')]: 'wl' },
      },
      `${annotation('prebuilt-workload-name')}: Forbidden: Is not supported for "api.practice.com/v1alpha1, Kind=JobFlow"`,
    ],
    [
      'an execution time that is no number',
      { labels: { [key('max-exec-time-seconds')]: 'long' } },
      `${label('max-exec-time-seconds')}: Invalid value: "long": strconv.Atoi: parsing "long": invalid syntax`,
    ],
    ...['5s', 'x5', '1.5', ''].map((text): [string, ObjectFields, string] => [
      `an execution time that is no whole number: "${text}"`,
      { labels: { [key('max-exec-time-seconds')]: text } },
      `${label('max-exec-time-seconds')}: Invalid value: "${text}": strconv.Atoi: parsing "${text}": invalid syntax`,
    ]),
    [
      'no execution time at all',
      { labels: { [key('max-exec-time-seconds')]: '0' } },
      `${label('max-exec-time-seconds')}: Invalid value: 0: should be greater than 0`,
    ],
    [
      'a queue for the whole and another one for its steps (scenario 67)',
      queued({ spec: { globalParams: { labels: { [queueLabel]: 'other' } } } }),
      `spec.globalParams.labels[${queueLabel}]: Forbidden: metadata.labels has it: either the whole waits, or its parts`,
    ],
    [
      'a queue for the whole and one for the Pods of a step',
      queued({
        spec: {
          flows: [
            { name: 'a', jobTemplate: { template: {} } },
            {
              name: 'b',
              jobTemplate: { template: { metadata: { labels: { [queueLabel]: 'q' } } } },
            },
          ],
        },
      }),
      `spec.flows[1].jobTemplate.template.metadata.labels[${queueLabel}]: Forbidden: metadata.labels has it: either the whole waits, or its parts`,
    ],
    [
      'an elastic job',
      { annotations: { [key('elastic-job')]: 'true' } },
      `${annotation('elastic-job')}: Forbidden: elastic job is not supported for "api.practice.com/v1alpha1, Kind=JobFlow"`,
    ],
    [
      'a partial admission',
      { annotations: { [key('job-min-parallelism')]: '1' } },
      `${annotation('job-min-parallelism')}: Forbidden: partial admission is not supported for "api.practice.com/v1alpha1, Kind=JobFlow"`,
    ],
    [
      'a gate without a name',
      { annotations: { [key('admission-gated-by')]: 'a.io/b,' } },
      `${annotation('admission-gated-by')}: Invalid value: "a.io/b,": cannot contain empty gate names`,
    ],
    [
      'a gate twice',
      { annotations: { [key('admission-gated-by')]: 'a.io/b, a.io/b' } },
      `${annotation('admission-gated-by')}: Invalid value: "a.io/b, a.io/b": duplicate gate name: a.io/b`,
    ],
    [
      'a gate without a domain',
      { annotations: { [key('admission-gated-by')]: 'gate' } },
      `${annotation('admission-gated-by')}: Invalid value: "gate": must be a domain-prefixed path (such as "acme.io/foo")`,
    ],
    [
      'a gate whose domain is empty',
      { annotations: { [key('admission-gated-by')]: '/b' } },
      `${annotation('admission-gated-by')}: Invalid value: "/b": must be a domain-prefixed path (such as "acme.io/foo")`,
    ],
    [
      'a gate whose path is none',
      { annotations: { [key('admission-gated-by')]: 'a.io/b/c d' } },
      `${annotation('admission-gated-by')}: Invalid value: "b/c d": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
    ],
    [
      'a gate that is too long',
      { annotations: { [key('admission-gated-by')]: `a.io/${'b'.repeat(60)}` } },
      `${annotation('admission-gated-by')}: Too long: may not be more than 63 bytes`,
    ],
    [
      'two faults',
      { labels: { [queueLabel]: 'A', [key('max-exec-time-seconds')]: '-1' } },
      `[${label('queue-name')}: Invalid value: "A": ${noSubdomain}, ` +
        `${label('max-exec-time-seconds')}: Invalid value: -1: should be greater than 0]`,
    ],
  ])('is refused with %s', async (_, fields, message) => {
    expect(await answer(checkQueue!, creation(object('JobFlow', fields)))).toEqual(
      refusal(message),
    );
  });

  it.each([
    ['spec.globalParams.labels', { globalParams: { labels: { [queueLabel]: 'q' } } }],
    [
      'spec.template.metadata.labels',
      { template: { metadata: { labels: { [queueLabel]: 'q' } } } },
    ],
  ])('is refused as a DaemonJob with a queue for the whole and one in %s', async (path, spec) => {
    expect(await answer(checkQueue!, creation(object('DaemonJob', queued({ spec }))))).toEqual(
      refusal(
        `${path}[${queueLabel}]: Forbidden: metadata.labels has it: either the whole waits, or its parts`,
      ),
    );
  });

  it('may wait in a queue, with a priority, a time and gates', async () => {
    const labels = {
      [queueLabel]: 'team.queue-1',
      [key('priority-class')]: 'high',
      [key('max-exec-time-seconds')]: '60',
    };
    const annotations = { [key('admission-gated-by')]: 'a.io/b, c.io/d' };
    const created = creation(object('DaemonJob', { labels, annotations }));
    expect(await answer(checkQueue!, created)).toEqual({ allowed: true });
  });

  it('may come from MultiKueue with the Workload of another cluster', async () => {
    const labels = { [queueLabel]: 'q', [key('multikueue-origin')]: 'multikueue' };
    const annotations = { [key('prebuilt-workload-name')]: 'jobflow-etl-12345' };
    const copy = object('JobFlow', { labels, annotations });
    expect(await answer(checkQueue!, creation(copy))).toEqual({ allowed: true });
  });

  it('may have steps that wait in a queue where the whole waits in none', async () => {
    const spec = { globalParams: { labels: { [queueLabel]: 'q' } } };
    expect(await answer(checkQueue!, creation(object('JobFlow', { spec })))).toEqual({
      allowed: true,
    });
  });
});

describe('what is changed beside a LocalQueue "default"', () => {
  it.each([
    ['suspended', suspended],
    ['resumed at once', running],
  ])('is refused when it leaves its queue, %s', async (_, spec) => {
    const review = update(
      object('JobFlow', queued({ spec: suspended })),
      object('JobFlow', { spec }),
    );
    const decision = await answer(beside!, review);
    expect(decision).toMatchObject({ allowed: false, code: 403 });
    expect(!decision.allowed && decision.message).toContain(
      `${label('queue-name')}: Invalid value: "": queue-name must not be empty in namespace with default queue`,
    );
  });

  it('may be moved into another queue, and may never have had one', async () => {
    const other = { labels: { [queueLabel]: 'other' }, spec: suspended };
    const moved = update(object('JobFlow', queued({ spec: suspended })), object('JobFlow', other));
    expect(await answer(beside!, moved)).toEqual({ allowed: true });
    const free = object('JobFlow', { spec: running });
    expect(await answer(beside!, update(free, free))).toEqual({ allowed: true });
  });
});

describe('the gates of what is created', () => {
  it.each([
    ['are none where nothing but blanks is written', '  '],
    ['may have a name of 63 characters', `a.io/${'b'.repeat(58)}`],
  ])('%s', async (_, text) => {
    const annotations = { [key('admission-gated-by')]: text };
    const decision = await answer(checkQueue!, creation(object('JobFlow', { annotations })));
    expect(decision).toEqual({ allowed: true });
  });
});

describe('what is changed', () => {
  const priority = (name: string) => ({ labels: { [key('priority-class')]: name } });
  const gates = (text: string) => ({ annotations: { [key('admission-gated-by')]: text } });
  const other = { labels: { [queueLabel]: 'other' } };

  it.each<[string, ObjectFields, ObjectFields, string]>([
    [
      'moved to another queue while it runs',
      queued({ spec: running }),
      { ...other, spec: running },
      `${label('queue-name')}: Invalid value: "other": field is immutable`,
    ],
    [
      'taken out of its queue while it runs',
      queued({ spec: running }),
      { spec: running },
      `${label('queue-name')}: Invalid value: "": field is immutable`,
    ],
    [
      'resumed and moved to another queue at once',
      { ...other, spec: suspended },
      queued({ spec: running }),
      `${label('queue-name')}: Invalid value: "q": field is immutable`,
    ],
    [
      'resumed and taken out of its queue at once',
      queued({ spec: suspended }),
      { spec: running },
      `${label('queue-name')}: Invalid value: "": field is immutable`,
    ],
    [
      'given a priority while it runs',
      { spec: running },
      { ...priority('high'), spec: running },
      `${label('priority-class')}: Invalid value: "high": WorkloadPriorityClass cannot be added to a non-suspended workload`,
    ],
    [
      'left without its priority',
      { ...priority('high'), spec: suspended },
      { spec: suspended },
      `${label('priority-class')}: Invalid value: "": WorkloadPriorityClass cannot be removed from a workload`,
    ],
    [
      'given another execution time while it is resumed',
      { labels: { [key('max-exec-time-seconds')]: '1' }, spec: suspended },
      { labels: { [key('max-exec-time-seconds')]: '2' }, spec: running },
      `${label('max-exec-time-seconds')}: Invalid value: "2": field is immutable`,
    ],
    [
      'made elastic',
      { spec: suspended },
      { annotations: { [key('elastic-job')]: 'true' }, spec: suspended },
      `${annotation('elastic-job')}: Invalid value: true: field is immutable`,
    ],
    [
      'gated after its creation',
      { spec: suspended },
      { ...gates('a.io/b'), spec: suspended },
      `${annotation('admission-gated-by')}: Forbidden: cannot add admission gate after creation`,
    ],
    [
      'given a further gate',
      { ...gates('a.io/b'), spec: suspended },
      { ...gates('a.io/b,c.io/d'), spec: suspended },
      `${annotation('admission-gated-by')}: Forbidden: can only remove gates, not add new ones`,
    ],
    [
      'given a prebuilt Workload while it runs',
      { spec: running },
      { labels: { [key('prebuilt-workload-name')]: 'wl' }, spec: running },
      `${label('prebuilt-workload-name')}: Invalid value: "wl": field is immutable`,
    ],
    [
      'given a prebuilt Workload while it is suspended',
      { spec: suspended },
      { labels: { [key('prebuilt-workload-name')]: 'wl' }, spec: suspended },
      `${label('prebuilt-workload-name')}: Forbidden: Is not supported for "api.practice.com/v1alpha1, Kind=DaemonJob"`,
    ],
  ])('is not %s', async (_, before, after, message) => {
    const review = update(object('DaemonJob', before), object('DaemonJob', after));
    expect(await answer(checkQueue!, review)).toEqual(refusal(message));
  });

  it.each<[string, ObjectFields, ObjectFields]>([
    [
      'to another queue while it is suspended',
      queued({ spec: suspended }),
      { ...other, spec: suspended },
    ],
    ['to no queue while it is suspended', queued({ spec: suspended }), { spec: suspended }],
    [
      'to another priority while it runs',
      { ...priority('low'), spec: running },
      { ...priority('high'), spec: running },
    ],
    [
      'to a priority while it is suspended',
      { spec: suspended },
      { ...priority('high'), spec: suspended },
    ],
    [
      'to fewer gates',
      { ...gates('a.io/b,c.io/d'), spec: suspended },
      { ...gates('c.io/d'), spec: suspended },
    ],
    [
      'in spite of a partial admission that it was stored with',
      { annotations: { [key('job-min-parallelism')]: '1' }, spec: suspended },
      { annotations: { [key('job-min-parallelism')]: '2' }, spec: suspended },
    ],
    [
      'to another time while it is suspended',
      { labels: { [key('max-exec-time-seconds')]: '1' }, spec: suspended },
      { labels: { [key('max-exec-time-seconds')]: '2' }, spec: suspended },
    ],
  ])('may be changed %s', async (_, before, after) => {
    const review = update(object('JobFlow', before), object('JobFlow', after));
    expect(await answer(checkQueue!, review)).toEqual({ allowed: true });
  });
});

describe('what waits in a queue', () => {
  const resumed = update(
    object('JobFlow', queued({ spec: suspended })),
    object('JobFlow', queued({ spec: running })),
  );

  it('is resumed only by a user who may admit Workloads', async () => {
    const asked: AccessQuestion[] = [];
    const clusterThat = (allowed: boolean) =>
      knownCluster([], {
        access: async (question) => {
          asked.push(question);
          return { allowed };
        },
      });
    expect(await answer(checkQueue!, resumed, clusterThat(true))).toEqual({ allowed: true });
    expect(await answer(checkQueue!, resumed, clusterThat(false))).toEqual(
      refusal(
        'spec.suspend: Forbidden: bob may not admit Workloads, and this waits in the queue q; ' +
          `remove the label ${queueLabel} first, or let Kueue resume it`,
      ),
    );
    expect(asked[0]).toMatchObject({
      ...{ verb: 'patch', subresource: 'status', namespace: 'team-a' },
      resource: { group: 'kueue.x-k8s.io', plural: 'workloads' },
    });
  });

  it('asks for no rights where nothing is resumed', async () => {
    const silent = knownCluster([], { access: () => Promise.reject(new Error('asked')) });
    const suspending = update(
      object('JobFlow', queued({ spec: running })),
      object('JobFlow', queued({ spec: suspended })),
    );
    expect(await answer(checkQueue!, suspending, silent)).toEqual({ allowed: true });
  });

  it('asks for no rights of who resumes what waits in no queue', async () => {
    const silent = knownCluster([], { access: () => Promise.reject(new Error('asked')) });
    const freed = update(
      object('JobFlow', { spec: suspended }),
      object('JobFlow', { spec: running }),
    );
    expect(await answer(checkQueue!, freed, silent)).toEqual({ allowed: true });
  });
});
