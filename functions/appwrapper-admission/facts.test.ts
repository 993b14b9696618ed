import { expect, it } from 'vitest';
import { knownCluster } from '#shared/admission/testing/known-cluster.ts';
import { usualKinds } from '#shared/api/wrapped/usual-kinds.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { apiVersionOf, type JsonObject, type Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { AccessQuestion } from '#shared/kube/access-review.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import { creatorIn, lookUp, mostKinds } from './facts.ts';
import { creation, update } from './testing/reviews.ts';
import { pod, wrapper } from './testing/wrappers.ts';
import { defaultWrapperSettings } from './wrapper-settings.ts';

const gadgets: Resource = {
  ...{ group: 'example.com', version: 'v1', plural: 'gadgets', kind: 'Gadget' },
  namespaced: true,
};
const served = [gadgets, ...usualKinds, ...Object.values(resources)];

const of = ({ kind, ...resource }: Resource) => ({
  template: { apiVersion: apiVersionOf({ kind, ...resource }), kind, metadata: { name: 'a' } },
});

/** The facts about the components, and the questions, as `user verb resource namespace`. */
async function look(
  components: readonly JsonObject[],
  { checksRights = true, creator = creatorIn('millrace'), metadata = {} } = {},
) {
  const asked: string[] = [];
  const cluster = knownCluster([], {
    resourceOf: async ({ apiVersion, kind }) =>
      served.find((each) => each.kind === kind && apiVersionOf(each) === apiVersion),
    access: async ({ user, verb, resource, namespace }: AccessQuestion) => {
      asked.push(`${user.username} ${verb} ${resource.plural}.${resource.group} ${namespace}`);
      return { allowed: user.username === 'ann' };
    },
  });
  const wrappers = { ...defaultWrapperSettings, checksRights };
  const known = { ...cluster, wrappers, policy: defaultPolicy, creator };
  const review = creation(wrapper(components, metadata));
  const facts = await lookUp(review, known, new AbortController().signal);
  return { kinds: facts?.kinds, asked };
}

const lifecycle = 'system:serviceaccount:millrace:appwrapper-lifecycle';

it('asks whether the author and Millrace may create each kind, once for each kind', async () => {
  expect(await look([of(gadgets), pod(), of(gadgets), pod()])).toEqual({
    kinds: {
      'example.com/v1 Gadget': {
        resource: gadgets,
        mayCreate: { allowed: true },
        mayBeCreated: { allowed: false },
      },
      'v1 Pod': { resource: resources.Pod, mayCreate: { allowed: true } },
    },
    asked: [
      'ann create gadgets.example.com team-a',
      `${lifecycle} create gadgets.example.com team-a`,
      'ann create pods. team-a',
    ],
  });
});

it('asks in the namespace that the AppWrapper names', async () => {
  const { asked } = await look([pod()], { metadata: { namespace: 'team-b' } });
  expect(asked).toEqual(['ann create pods. team-b']);
});

it.each([...usualKinds, ...[resources.Pod, resources.Job, resources.JobFlow, resources.DaemonJob]])(
  'does not ask whether Millrace may create $plural: its Role says so',
  async (resource) => {
    const { asked } = await look([of(resource)]);
    expect(asked).toEqual([`ann create ${resource.plural}.${resource.group} team-a`]);
  },
);

it.each([
  ['example.com/v1', 'Unknown', 'example.com'],
  ['v1', 'Unknown', ''],
])(
  'of a kind that is not served only who may create everything may: %s',
  async (apiVersion, kind, group) => {
    const template = { apiVersion, kind, metadata: { name: 'a' } };
    expect(await look([{ template }])).toEqual({
      kinds: { [`${apiVersion} ${kind}`]: { resource: null, mayCreate: { allowed: true } } },
      asked: [`ann create *.${group} team-a`],
    });
  },
);

it('asks nothing of the author where the installation checks no rights', async () => {
  expect(await look([pod()], { checksRights: false })).toEqual({
    kinds: { 'v1 Pod': { resource: resources.Pod } },
    asked: [],
  });
});

it.each([
  [mostKinds, mostKinds],
  [mostKinds + 1, 0],
])('of %i kinds it asks about %i: more would take too long', async (count, asked) => {
  const kinds = Array.from({ length: count }, (_, at) => ({
    template: { apiVersion: 'v1', kind: `Kind${at}` },
  }));
  expect((await look(kinds)).asked).toHaveLength(asked);
});

it('asks nothing when an AppWrapper is changed', async () => {
  const silent = { access: () => Promise.reject(new Error('asked')) };
  const known = {
    ...knownCluster([], silent),
    ...{ wrappers: defaultWrapperSettings, policy: defaultPolicy },
  };
  const review = update(wrapper([pod()]), wrapper([pod()]));
  expect(await lookUp(review, known, new AbortController().signal)).toBeUndefined();
});

it('knows nothing when the API server does not answer', async () => {
  const failed = new MillraceError('MR_API_UNREACHABLE', { verb: 'get', path: '', detail: '' });
  const known = {
    ...knownCluster([], { resourceOf: () => Promise.reject(failed) }),
    ...{ wrappers: defaultWrapperSettings, policy: defaultPolicy },
  };
  const looked = lookUp(creation(wrapper([pod()])), known, new AbortController().signal);
  await expect(looked).rejects.toBe(failed);
});

it('knows why what serves a kind does not answer, and asks nothing else about it', async () => {
  const fields = { verb: 'discover', path: '/apis/x/v1', status: 503, reason: '' };
  const failed = new MillraceError('MR_API_RETRYABLE', { ...fields, detail: 'unavailable' });
  const known = {
    ...knownCluster([], {
      resourceOf: () => Promise.reject(failed),
      access: () => Promise.reject(new Error('asked')),
    }),
    ...{ wrappers: defaultWrapperSettings, policy: defaultPolicy },
  };
  const facts = await lookUp(creation(wrapper([pod()])), known, new AbortController().signal);
  expect(facts?.kinds).toEqual({ 'v1 Pod': { resource: null, unanswered: 'unavailable' } });
});

it('Millrace creates as the service account of appwrapper-lifecycle', () => {
  expect(creatorIn('millrace')).toEqual({
    username: lifecycle,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:millrace', 'system:authenticated'],
    extra: {},
  });
});
