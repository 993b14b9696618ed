/** For which writes the API server calls the webhooks, by its evaluation of their match conditions. */
import { describe, expect, it } from 'vitest';
import { checkWrapper } from '#functions/appwrapper-admission/check-wrapper.ts';
import { completeWrapper } from '#functions/appwrapper-admission/complete-wrapper.ts';
import { checkSubmission } from '#functions/flow-admission/check-submission.ts';
import { recordSubmitter } from '#functions/flow-admission/record-submitter.ts';
import { kinds } from '#functions/list.ts';
import { createSandbox } from '#sandbox';
import type { Admission } from '#shared/admission/admission.ts';
import { webhookConfigurations, webhookName } from '#shared/admission/webhook-configuration.ts';
import { customResourceDefinition } from '#shared/api/custom-resource-definition.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import type { JsonObject, NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { checkAnnotations } from '#functions/suspend-admission/check-annotations.ts';
import { checkMark } from '#functions/suspend-admission/check-mark.ts';
import { checkQueue } from '#functions/suspend-admission/check-queue.ts';
import { defaultKueueSettings } from '#shared/kueue/kueue-settings.ts';
import { suspendAdmissions } from '#functions/suspend-admission/testing/admissions.ts';
import { suspendOnCreation } from '#functions/suspend-admission/suspend-on-creation.ts';
import {
  clock,
  object,
  policies,
  queueLabel,
} from '#functions/suspend-admission/testing/reviews.ts';

type Kind = 'Job' | 'JobFlow' | 'DaemonJob' | 'AppWrapper';
type Fields = NonNullable<Parameters<typeof object>[1]>;

const pod = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } };
const template = { template: pod };
const specs = {
  Job: template,
  JobFlow: { flows: [{ name: 'a', jobTemplate: template }] },
  DaemonJob: template,
  AppWrapper: {
    components: [
      { template: { ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }, ...pod } },
    ],
  },
} as const;

const a = (kind: Kind, { spec = {}, ...fields }: Fields = {}): JsonObject =>
  object(kind, { ...fields, spec: { ...specs[kind], ...spec } });

const owned = (apiVersion: string, controller?: boolean): Fields => ({
  ownerReferences: [
    {
      apiVersion,
      kind: 'JobFlow',
      name: 'etl',
      uid: 'u',
      ...(controller === undefined ? {} : { controller }),
    },
  ],
});

interface Asking {
  /** Further rights of the writer. */
  readonly may?: (right: JsonObject) => boolean;
  readonly dryRun?: boolean;
}

/** `before`: absent for a creation. The webhook is unreachable and fails closed, so a call shows as an error. */
async function isAsked(
  admission: Admission,
  kind: Kind,
  after: JsonObject,
  before?: JsonObject,
  { may = () => false, dryRun = false }: Asking = {},
): Promise<boolean> {
  const permits = ({ resourceAttributes }: JsonObject) => may(resourceAttributes as JsonObject);
  const sandbox = createSandbox({ clock, random: Math.random, permits });
  const client = sandbox.client({ user: 'ann', fieldManager: 'test' });
  for (const definition of kinds.map((each) => customResourceDefinition(each))) {
    await client.create(resources.CustomResourceDefinition, definition);
  }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } };
  await client.create(resources.Namespace, namespace);
  if (before !== undefined) await client.create(resources[kind], before as unknown as NewObject);
  const clientConfigOf = () => ({ url: 'https://127.0.0.1:1/' });
  const registrar = { metadata: { name: 'asked' }, clientConfigOf };
  for (const configuration of webhookConfigurations(
    [{ ...admission, registration: { ...admission.registration, failurePolicy: 'Fail' } }],
    registrar,
  )) {
    const resource = resources[configuration.kind as 'ValidatingWebhookConfiguration'];
    await client.create(resource, configuration);
  }
  const written = write(client, kind, after, { isChange: before !== undefined, dryRun });
  const refusal = await written.then(
    () => undefined,
    (error: unknown) => String(error),
  );
  if (refusal !== undefined) expect(refusal).toContain(`"${webhookName(admission)}"`);
  return refusal !== undefined;
}

function write(
  client: KubeClient,
  kind: Kind,
  after: JsonObject,
  { isChange, dryRun }: { readonly isChange: boolean; readonly dryRun: boolean },
) {
  const place = { namespace: 'team-a', name: 'etl' };
  return isChange
    ? client.patch(resources[kind], place, after, { type: 'merge', dryRun })
    : client.create(resources[kind], after as unknown as NewObject, { dryRun });
}

const ours = `${resources.JobFlow.group}/v1alpha1`;
const queued = { labels: { [queueLabel]: 'q' } };
const held = { annotations: { [annotations.suspendedBy]: 'nights' } };
const asleep = { spec: { suspend: true } };

describe('what queues demand is asked', () => {
  it.each<[string, boolean, Kind, Fields, Fields?]>([
    ['of what is created for a queue', true, 'JobFlow', queued],
    [
      'of what is created with an annotation of Kueue',
      true,
      'JobFlow',
      { annotations: { 'kueue.x-k8s.io/elastic-job': 'true' } },
    ],
    ['of nothing that is created without either', false, 'JobFlow', {}],
    [
      'of nothing whose labels only sound like it',
      false,
      'JobFlow',
      { labels: { 'x.kueue.x-k8s.io/queue-name': 'q' } },
    ],
    ['of a DaemonJob as well', true, 'DaemonJob', queued],
    ['of no Job, which Kueue judges itself', false, 'Job', queued],
    ['when one in a queue is changed', true, 'JobFlow', { ...queued, ...asleep }, queued],
    [
      'when one in a queue gets a label',
      true,
      'JobFlow',
      { labels: { ...queued.labels, a: 'b' } },
      queued,
    ],
    [
      'when one in a queue gets an annotation',
      true,
      'JobFlow',
      { ...queued, annotations: { a: 'b' } },
      queued,
    ],
    ['when one gets into a queue', true, 'JobFlow', queued, {}],
    ['when one leaves its queue', true, 'JobFlow', { labels: { [queueLabel]: null } }, queued],
    [
      'not when nothing that Kueue sees is changed',
      false,
      'JobFlow',
      { ...queued, finalizers: ['a/b'] } as Fields,
      queued,
    ],
    ['not when one outside of queues is changed', false, 'JobFlow', asleep, {}],
  ])('%s', async (_, asked, kind, after, before) => {
    expect(await isAsked(checkQueue, kind, a(kind, after), before && a(kind, before))).toBe(asked);
  });
});

describe('whether it may run yet is asked', () => {
  const { managesUnlabelled, ...others } = defaultKueueSettings;
  const suspendingBy = (manages: boolean): Admission => {
    const kueue = { ...others, managesUnlabelled: manages };
    return suspendAdmissions({ policies: policies(), clock, kueue })[0]!;
  };
  it.each<[string, boolean, Kind, Fields, boolean?]>([
    ['of what is created to run', true, 'Job', {}],
    ['of what is created with suspend: false', true, 'Job', { spec: { suspend: false } }],
    ['of nothing that is created suspended', false, 'Job', asleep],
    ['of no step of a flow', false, 'Job', owned(ours, true)],
    [
      'of a step of a flow that is to wait in a queue',
      true,
      'Job',
      { ...owned(ours, true), ...queued },
    ],
    ['of a step of a flow where Kueue manages everything', true, 'Job', owned(ours, true), true],
    ['of what a flow owns and does not control', true, 'Job', owned(ours, false)],
    ['of an object with an owner that is not its controller', true, 'Job', owned(ours)],
    ['of what another controller created', true, 'Job', owned('batch/v1', true)],
    ['of a JobFlow', true, 'JobFlow', {}],
    ['of a DaemonJob', true, 'DaemonJob', {}],
  ])('%s', async (_, asked, kind, fields, manages = managesUnlabelled) => {
    expect(await isAsked(suspendingBy(manages), kind, a(kind, fields))).toBe(asked);
  });
});

describe('whether the trial of a child may run is not asked', () => {
  const [suspending] = suspendAdmissions({ policies: policies(), clock });
  const child: Fields = { labels: { [labels.ownerUid]: 'u' } };
  it.each<[string, boolean, Fields, boolean]>([
    ['of one that a flow would create', false, child, true],
    ['of one that only looks like it', true, child, false],
    ['of a trial by another client', true, {}, true],
    [
      'of one that would wait in a queue',
      true,
      { labels: { ...child.labels, ...queued.labels } },
      true,
    ],
  ])('%s', async (_, asked, fields, dryRun) => {
    expect(await isAsked(suspending!, 'Job', a('Job', fields), undefined, { dryRun })).toBe(asked);
  });
});

describe('annotations of ours are asked about', () => {
  const noted = (...keys: readonly string[]): Fields => ({
    annotations: Object.fromEntries(keys.map((key) => [key, 'x'])),
  });
  it.each<[string, boolean, Fields, Fields?]>([
    ['where an override is written', true, noted(annotations.suspendOverride)],
    ['where a key is misspelt', true, noted('millrace.dev/rety', annotations.retry)],
    ['not where any value is right', false, noted(annotations.retry, annotations.submitter)],
    ['not where they are of others', false, noted('example.com/rety')],
    [
      'not where they stay',
      false,
      noted('a', annotations.suspendOverride),
      noted('a', annotations.suspendOverride),
    ],
  ])('%s', async (_, asked, fields, before) => {
    const was = before && a('JobFlow', before);
    expect(await isAsked(checkAnnotations, 'JobFlow', a('JobFlow', fields), was)).toBe(asked);
  });
});

describe('what policies wrote is asked about', () => {
  it.each<[string, boolean, Fields, Fields?]>([
    ['when something is created with a mark', true, held],
    ['not when it is created without one', false, { annotations: { a: 'b' } }],
    ['not when it is created without annotations', false, {}],
    ['when a mark is taken away', true, { annotations: { [annotations.suspendedBy]: null } }, held],
    ['when a mark is changed', true, { annotations: { [annotations.suspendedBy]: 'days' } }, held],
    [
      'when another of their annotations is written',
      true,
      { annotations: { [annotations.held]: '{}' } },
      {},
    ],
    ['when something with a mark gets another label', true, { ...held, labels: { a: 'b' } }, held],
    ['not when something without one does', false, { labels: { a: 'b' } }, {}],
    [
      'not when something with a mark is resumed',
      false,
      { ...held, spec: { suspend: false } },
      held,
    ],
    ['not for a step of a flow', false, { ...owned(ours, true), ...held }],
  ])('%s', async (_, asked, after, before) => {
    expect(await isAsked(checkMark, 'Job', a('Job', after), before && a('Job', before))).toBe(
      asked,
    );
  });
});

describe('what policies wrote is asked about in any case', () => {
  const writesStatus = (resource: string, namespace?: string): JsonObject => ({
    ...{ group: resources.SuspendPolicy.group, resource, subresource: 'status', verb: 'patch' },
    ...(namespace === undefined ? {} : { namespace }),
  });

  it.each([
    ['of suspend policies there', writesStatus('suspendpolicies', 'team-a'), false],
    ['of those of the whole cluster', writesStatus('clustersuspendpolicies'), false],
    ['of suspend policies elsewhere', writesStatus('suspendpolicies', 'team-b'), true],
    ['of nothing but flows', writesStatus('jobflows', 'team-a'), true],
  ])('unless who writes it may write the status: %s', async (_, right, asked) => {
    const may = (wanted: JsonObject) =>
      Object.entries(right).every(([name, value]) => wanted[name] === value);
    const marked = a('Job', { annotations: { [annotations.suspendedBy]: 'days' } });
    expect(await isAsked(checkMark, 'Job', marked, a('Job', held), { may })).toBe(asked);
  });

  it.each([annotations.suspendedBy, annotations.held, annotations.resumedBy, annotations.placed])(
    'whichever annotation it is: %s',
    async (name) => {
      const after = a('Job', { annotations: { [name]: 'forged' } });
      expect(await isAsked(checkMark, 'Job', after, a('Job'))).toBe(true);
    },
  );

  it.each(['Job', 'JobFlow', 'DaemonJob'] as const)('whatever it stands on: a %s', async (kind) => {
    expect(await isAsked(checkMark, kind, a(kind, held))).toBe(true);
    expect(await isAsked(checkMark, kind, a(kind, held), a(kind))).toBe(true);
  });
});

describe('who submits something, and whether it may be, is asked', () => {
  const by = (text: string | null): Fields => ({
    annotations: { [annotations.submitter]: text },
  });
  it.each<[string, boolean, Fields, Fields?]>([
    ['of what is created', true, {}],
    ['when what is run changes', true, asleep, {}],
    ['when a submitter is written where there was none', true, by('bob'), {}],
    ['when one is written beside other annotations', true, by('bob'), { annotations: { a: 'b' } }],
    ['when the submitter is changed', true, by('bob'), by('ann')],
    ['when the submitter is taken away', true, by(null), by('ann')],
    [
      'when all annotations are taken away with it',
      true,
      { annotations: null } as unknown as Fields,
      by('ann'),
    ],
    ['not when another annotation is written', false, { annotations: { a: 'b' } }, by('ann')],
    ['not when the first annotation is another one', false, { annotations: { a: 'b' } }, {}],
    ['not when a label is', false, { labels: { a: 'b' } }, by('ann')],
    ['not when a finalizer is', false, { finalizers: ['a/b'] } as Fields, {}],
  ])('%s', async (_, asked, after, before) => {
    for (const admission of [recordSubmitter, checkSubmission] as const) {
      const was = before && a('JobFlow', before);
      expect(await isAsked(admission as Admission, 'JobFlow', a('JobFlow', after), was)).toBe(
        asked,
      );
    }
  });
});

describe('of an AppWrapper', () => {
  const by = (text: string | null): Fields => ({
    annotations: { [annotations.submitter]: text },
  });
  const labelled = { labels: { a: 'b' } };

  it.each<[string, readonly [boolean, boolean], Fields, Fields?]>([
    ['all is asked when it is created', [true, true], {}],
    ['whether it stays what was judged is asked when it is resumed', [true, false], asleep, {}],
    ['the same is asked when a label is written', [true, false], labelled, {}],
    ['and when another annotation is', [true, false], { annotations: { a: 'b' } }, by('ann')],
    ['and when the submitter is changed', [true, false], by('bob'), by('ann')],
    ['who submitted it is asked when that is left out', [true, true], by(null), by('ann')],
    [
      'nothing is asked when a finalizer is written',
      [false, false],
      { finalizers: ['a/b'] } as Fields,
      by('ann'),
    ],
  ])('%s', async (_, asked, after, before) => {
    const was = before && a('AppWrapper', before);
    const outcomes = [checkWrapper, completeWrapper].map((admission) =>
      isAsked(admission as Admission, 'AppWrapper', a('AppWrapper', after), was),
    );
    expect(await Promise.all(outcomes)).toEqual(asked);
  });
});

it('each webhook has the name under which it is known', () => {
  const names = [
    ...[recordSubmitter, checkSubmission, checkQueue, checkMark, suspendOnCreation],
    ...[completeWrapper, checkWrapper],
  ].map((admission) => webhookName(admission));
  expect(names).toEqual([
    'flow-submitter.millrace.dev',
    'flow-validation.millrace.dev',
    'queue-validation.millrace.dev',
    'suspension-mark.millrace.dev',
    'suspension.millrace.dev',
    'appwrapper-defaults.millrace.dev',
    'appwrapper-validation.millrace.dev',
  ]);
});

it('each condition has a name of its own, which the API server demands', () => {
  for (const { registration } of [
    recordSubmitter,
    checkSubmission,
    checkQueue,
    checkMark,
    suspendOnCreation,
    completeWrapper,
    checkWrapper,
  ] as const) {
    const names = (registration.matchConditions ?? []).map(({ name }) => name);
    expect(names).not.toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?$/);
  }
});
