import { describe, expect, it } from 'vitest';
import type { ReviewUser } from '#shared/domain/admission-decision.ts';
import { type ErrorCode, MillraceError } from '#shared/domain/errors.ts';
import { asUid, type JsonObject } from '#shared/domain/objects.ts';
import type { CreateOperation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { defaultPolicy, type PodPolicy } from '#shared/policy/pod-policy.ts';
import { SubmitterPermissions } from './submitter-permissions.ts';

const ann: ReviewUser = { username: 'ann', groups: ['team-a'], extra: {} };

function createJob(name: string, namespace = 'team-a', pod: JsonObject = {}): CreateOperation {
  const object = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace },
    spec: { template: { spec: pod } },
  };
  return { kind: 'create', resource: resources.Job, ownerUid: asUid('u'), object };
}

const asDeployer = (name: string) => createJob(name, 'team-a', { serviceAccountName: 'deployer' });

interface Asked {
  readonly user: string;
  readonly verb: string;
}

function permissions(
  answer: (asked: Asked) => JsonObject | Error = () => ({ allowed: true }),
  policy: PodPolicy | 'none' = defaultPolicy,
) {
  const clock = virtualClock();
  const asked: string[] = [];
  const review = async (_: unknown, { user, resourceAttributes }: JsonObject) => {
    const attributes = resourceAttributes as Readonly<Record<string, string>>;
    const { verb = '', resource = '', namespace = '', name } = attributes;
    const what = [user as string, verb, resource, namespace, ...(name === undefined ? [] : [name])];
    asked.push(what.join(' '));
    const said = answer({ user: user as string, verb });
    if (said instanceof Error) throw said;
    return said;
  };
  const options = { client: { review }, clock, ...(policy === 'none' ? {} : { policy }) };
  return { clock, asked, permissions: new SubmitterPermissions(options) };
}

const failure = (code: ErrorCode) =>
  new MillraceError(code, { verb: 'create', path: 'p', detail: 'not you' });
const refusal = { allowed: false, reason: 'no role says so' };
const message =
  'ann, who submitted this, may not create jobs.batch in the namespace team-a: no role says so';

it('asks nothing when no submitter is recorded, and nothing before a create (permission-1)', async () => {
  const { asked, permissions: own } = permissions();
  expect(await own.refusals(undefined, [[createJob('a')]])).toEqual([]);
  expect(await own.refusals(ann, [[]])).toEqual([]);
  expect(asked).toEqual([]);
});

it('asks once for all creates of a submitter, and reuses the answer for a minute (permission-2)', async () => {
  const { asked, clock, permissions: own } = permissions();
  const plan = [[createJob('a'), createJob('b')]];
  expect(await own.refusals(ann, plan)).toEqual([]);
  await clock.advance(59_999);
  expect(await own.refusals(ann, plan)).toEqual([]);
  expect(asked).toEqual(['ann create jobs team-a']);
  await clock.advance(1);
  await own.refusals(ann, plan);
  expect(asked).toHaveLength(2);
});

it('asks for another user, other groups and another namespace anew', async () => {
  const { asked, permissions: own } = permissions();
  await own.refusals(ann, [[createJob('a')]]);
  await own.refusals({ ...ann, username: 'bob' }, [[createJob('a')]]);
  await own.refusals({ ...ann, groups: [] }, [[createJob('a')]]);
  await own.refusals(ann, [[createJob('a', 'team-b')]]);
  expect(asked).toEqual([
    'ann create jobs team-a',
    'bob create jobs team-a',
    'ann create jobs team-a',
    'ann create jobs team-b',
  ]);
});

it('refuses each create of a user who may not, in words for its object (permission-3)', async () => {
  const { permissions: own } = permissions(() => refusal);
  expect(await own.refusals(ann, [[createJob('a')], [createJob('b')]])).toEqual([
    { name: 'a', code: 'Forbidden', message },
    { name: 'b', code: 'Forbidden', message },
  ]);
});

it('notices a right that is granted sooner than one that is taken away', async () => {
  let answer: JsonObject = refusal;
  const { clock, asked, permissions: own } = permissions(() => answer);
  await own.refusals(ann, [[createJob('a')]]);
  answer = { allowed: true };
  await clock.advance(14_999);
  expect(await own.refusals(ann, [[createJob('a')]])).toHaveLength(1);
  expect(asked).toHaveLength(1);
  await clock.advance(1);
  expect(await own.refusals(ann, [[createJob('a')]])).toEqual([]);
});

it('asks for each service account but the default one, which every Pod gets', async () => {
  const { asked, permissions: own } = permissions();
  const ordinary = createJob('c', 'team-a', { serviceAccountName: 'default' });
  expect(await own.refusals(ann, [[asDeployer('a'), asDeployer('b')], [ordinary]])).toEqual([]);
  expect(asked).toEqual([
    'ann create jobs team-a',
    'ann impersonate serviceaccounts team-a deployer',
  ]);
});

it('refuses the Job whose service account the submitter may not use any more, and no other', async () => {
  const { permissions: own } = permissions(({ verb }) => ({ allowed: verb === 'create' }));
  expect(await own.refusals(ann, [[createJob('a'), asDeployer('b')]])).toEqual([
    {
      name: 'b',
      code: 'Forbidden',
      message:
        'ann, who submitted this, may not impersonate the service account deployer in the namespace team-a, as which its Pods run',
    },
  ]);
});

it('asks nothing about a service account of a user who may not create the Job at all', async () => {
  const { asked, permissions: own } = permissions(() => refusal);
  expect(await own.refusals(ann, [[asDeployer('a')]])).toEqual([
    { name: 'a', code: 'Forbidden', message },
  ]);
  expect(asked).toEqual(['ann create jobs team-a']);
});

it('asks nothing about service accounts that policy does not refuse, nor without a policy', async () => {
  const policies: readonly (PodPolicy | 'none')[] = [
    'none',
    { ...defaultPolicy, exceptions: { serviceAccount: 'warn' } },
    { ...defaultPolicy, exceptions: { 'serviceAccount:deployer': 'allow' } },
  ];
  for (const policy of policies) {
    const { asked, permissions: own } = permissions(undefined, policy);
    await own.refusals(ann, [[asDeployer('a')]]);
    expect(asked).toEqual(['ann create jobs team-a']);
  }
});

it('nothing is created for a submitter who cannot be named', async () => {
  const { asked, permissions: own } = permissions();
  expect(await own.refusals('unknown', [[createJob('a')]])).toEqual([
    {
      name: 'a',
      code: 'Forbidden',
      message: 'the annotation millrace.dev/submitter names no user',
    },
  ]);
  expect(asked).toEqual([]);
});

it('a check that is forbidden for lack of a Role is reported', async () => {
  const { permissions: own } = permissions(() => failure('MR_API_FORBIDDEN'));
  const [rejection] = await own.refusals(ann, [[createJob('a')]]);
  expect(rejection).toMatchObject({ name: 'a', code: 'Forbidden' });
  expect(rejection?.message).toContain('cannot check whether ann may create jobs.batch');
});

it('throws what may pass, and asks anew the next time', async () => {
  let answer: JsonObject | Error = failure('MR_API_UNREACHABLE');
  const { permissions: own } = permissions(() => answer);
  await expect(own.refusals(ann, [[createJob('a')]])).rejects.toMatchObject({
    code: 'MR_API_UNREACHABLE',
  });
  answer = { allowed: true };
  expect(await own.refusals(ann, [[createJob('a')]])).toEqual([]);
});

describe('a Job made from a JobTemplate', () => {
  const bob: ReviewUser = { username: 'bob', groups: [], extra: {} };
  const fromShared = () => ({ name: 'shared', submitter: bob });

  it('takes the rights of its last editor and of the submitter of the flow', async () => {
    const { asked, permissions: own } = permissions();
    expect(await own.refusals(ann, [[asDeployer('a')]], fromShared)).toEqual([]);
    expect(asked).toEqual([
      'ann create jobs team-a',
      'ann impersonate serviceaccounts team-a deployer',
      'bob create jobs team-a',
      'bob impersonate serviceaccounts team-a deployer',
    ]);
  });

  it.each(['ann', 'bob'])('is not created when %s lacks a right', async (lacking) => {
    const { permissions: own } = permissions(({ user, verb }) => ({
      allowed: user !== lacking || verb === 'create',
    }));
    const did = lacking === 'ann' ? 'submitted this' : 'last changed the JobTemplate "shared"';
    expect(await own.refusals(ann, [[asDeployer('a')]], fromShared)).toMatchObject([
      { name: 'a', code: 'Forbidden' },
    ]);
    const [refusal] = await own.refusals(ann, [[asDeployer('a')]], fromShared);
    expect(refusal?.message).toContain(`${lacking}, who ${did}, may not impersonate`);
  });

  it('costs no further question where one user is both', async () => {
    const { asked, permissions: own } = permissions();
    await own.refusals(ann, [[createJob('a')]], () => ({ name: 'shared', submitter: ann }));
    expect(asked).toEqual(['ann create jobs team-a']);
  });
});
