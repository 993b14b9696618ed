import { expect, it } from 'vitest';
import { asUid, type JsonObject } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import { policyRefusals } from './policy-refusals.ts';

const container = { name: 'main', image: 'busybox' };

function createJob(name: string, pod: JsonObject = {}): Operation {
  const spec = { template: { spec: { containers: [container], ...pod } } };
  const object = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec };
  return { kind: 'create', resource: resources.Job, ownerUid: asUid('u'), object };
}

const onHost = createJob('b', { hostNetwork: true, hostPID: true });

it('refuses each Job that breaks a rule, by the first one', () => {
  expect(policyRefusals(defaultPolicy, [[createJob('a')], [onHost]])).toEqual([
    {
      name: 'b',
      code: 'Forbidden',
      message:
        'spec.template.spec.hostNetwork: true shares it with the node; leave it out (policy hostNamespaces, profile baseline)',
    },
  ]);
});

it('refuses nothing that may pass with a warning, and nothing without a policy', () => {
  expect(
    policyRefusals({ profile: 'baseline', exceptions: { hostNamespaces: 'warn' } }, [[onHost]]),
  ).toEqual([]);
  expect(policyRefusals(undefined, [[onHost]])).toEqual([]);
});

it('leaves service accounts to those who can ask who may use them', () => {
  const pod = { serviceAccountName: 'deployer' };
  expect(policyRefusals(defaultPolicy, [[createJob('a', pod)]])).toEqual([]);
});

it('finds nothing in what has no template of Pods', () => {
  const bare = createJob('a');
  const specs = [undefined, 1, {}, { hostPID: true }, { template: { hostPID: true } }];
  const plan = specs.map((spec) =>
    bare.kind === 'create' ? [{ ...bare, object: { ...bare.object, spec } }] : [],
  );
  expect(policyRefusals(defaultPolicy, plan)).toEqual([]);
});
