import { describe, expect, it } from 'vitest';
import { knownCluster } from '#shared/admission/testing/known-cluster.ts';
import { type ErrorCode, MillraceError } from '#shared/domain/errors.ts';
import type { JsonObject, KubeObject, NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient, WriteOptions } from './client.ts';
import { clusterInquiry } from './inquiry.ts';

const job: NewObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'a', namespace: 'ns' },
  spec: { template: { spec: { containers: [{ env: [{ name: 'KEY', value: 'very-secret' }] }] } } },
};

function inquiryOver(client: Partial<KubeClient>) {
  const silent = () => Promise.reject(new Error('this must not be asked'));
  return clusterInquiry(
    { create: silent, discover: silent, review: silent, ...client },
    knownCluster().reader,
  );
}

describe('the resource of a kind', () => {
  const discover = async (apiVersion: string) =>
    apiVersion === 'batch/v1' ? [resources.Job] : undefined;

  it.each([
    ['batch/v1', 'Job', resources.Job],
    ['batch/v1', 'CronJob', undefined],
    ['batch/v7', 'Job', undefined],
  ])('%s %s is looked up in what its version serves', async (apiVersion, kind, resource) => {
    expect(await inquiryOver({ discover }).resourceOf({ apiVersion, kind })).toEqual(resource);
  });
});

describe('who may', () => {
  const question = {
    user: { username: 'ann', uid: 'u', groups: ['g'], extra: { 'example.com/x': ['1'] } },
    verb: 'create',
    resource: resources.Job,
    namespace: 'ns',
  };

  it('is asked with all that the API server knows of the user', async () => {
    const asked: JsonObject[] = [];
    const review = async (_: unknown, spec: JsonObject) => {
      asked.push(spec);
      return { allowed: true };
    };
    expect(await inquiryOver({ review }).access(question)).toEqual({ allowed: true });
    await inquiryOver({ review }).access({ ...question, name: 'one' });
    const attributes = {
      verb: 'create',
      group: 'batch',
      version: 'v1',
      resource: 'jobs',
      namespace: 'ns',
    };
    expect(asked).toEqual([
      {
        user: 'ann',
        uid: 'u',
        groups: ['g'],
        extra: { 'example.com/x': ['1'] },
        resourceAttributes: attributes,
      },
      expect.objectContaining({ resourceAttributes: { ...attributes, name: 'one' } }),
    ]);
  });

  it.each([{}, { allowed: 'true' }, { allowed: false, reason: '' }])(
    'access is denied unless the answer allows it: %j',
    async (status: JsonObject) => {
      const inquiry = inquiryOver({ review: async () => status });
      expect(await inquiry.access(question)).toEqual({ allowed: false });
    },
  );
});

describe('a trial', () => {
  const failing = (code: ErrorCode, fields: Record<string, string | number> = {}) => ({
    create: () =>
      Promise.reject(new MillraceError(code, { verb: 'create', path: 'jobs', ...fields })),
  });
  const tried = (client: Partial<KubeClient>) => inquiryOver(client).tryCreate(resources.Job, job);

  it('stores nothing and returns the remarks of the API server', async () => {
    const seen: WriteOptions[] = [];
    const create: KubeClient['create'] = async (_, object, options = {}) => {
      seen.push(options);
      options.onWarning?.('unknown field "x"');
      return object as KubeObject;
    };
    expect(await tried({ create })).toEqual({ warnings: ['unknown field "x"'] });
    expect(seen).toMatchObject([{ dryRun: true }]);
  });

  it('that is refused for good returns the refusal', async () => {
    const detail = 'image: Required value';
    expect(await tried(failing('MR_API_INVALID', { detail }))).toEqual({
      rejection: { code: 'Invalid', message: detail },
      warnings: [],
    });
  });

  it('does not repeat the value of a variable', async () => {
    const detail = 'Invalid value: "very-secret"';
    const { rejection } = await tried(failing('MR_API_INVALID', { detail }));
    expect(rejection?.message).not.toContain('very-secret');
  });

  it('under a name that is taken is good but for its name', async () => {
    const taken = failing('MR_API_CONFLICT', { reason: 'AlreadyExists', detail: '' });
    expect(await tried(taken)).toEqual({ warnings: [], isTaken: true });
  });

  it('without an answer says nothing', async () => {
    await expect(tried(failing('MR_API_UNREACHABLE', { detail: '' }))).rejects.toMatchObject({
      code: 'MR_API_UNREACHABLE',
    });
  });
});
