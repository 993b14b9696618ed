import { expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { endOf, isOursToRun, saysItsEnd } from './ends.ts';

const named = (kind: string) => {
  const [apiVersion = '', name = ''] = kind.split(' ');
  return { apiVersion, kind: name };
};
const holds = (type: string, more: JsonObject = {}) => ({ type, status: 'True', ...more });

it.each([
  ['batch/v1 Job', 'Complete', 'Failed'],
  ['jobset.x-k8s.io/v1alpha2 JobSet', 'Completed', 'Failed'],
  ['kubeflow.org/v1 PyTorchJob', 'Succeeded', 'Failed'],
  ['trainer.kubeflow.org/v1alpha1 TrainJob', 'Complete', 'Failed'],
  ['api.practice.com/v1alpha1 JobFlow', 'Complete', 'Failed'],
  ['api.practice.com/v1alpha1 DaemonJob', 'Complete', 'Failed'],
])('a %s has ended with the condition %s or %s', (kind, success, failure) => {
  const end = (...conditions: readonly JsonObject[]) => endOf(named(kind), { conditions });
  const done = holds(success, { message: 'done' });
  const broken = holds(failure, { message: 'broken' });
  expect(saysItsEnd(named(kind))).toBe(true);
  expect(end(holds('Other'), done)).toEqual({ isSuccess: true, message: 'done' });
  expect(end(broken)).toEqual({ isSuccess: false, message: 'broken' });
  // If both conditions hold, it is no success.
  expect(end(done, broken)).toEqual({ isSuccess: false, message: 'broken' });
  expect(end({ ...done, status: 'False' }, { ...broken, status: 'Unknown' })).toBeUndefined();
  expect(end(holds(success))).toEqual({ isSuccess: true, message: '' });
  expect(end()).toBeUndefined();
});

it.each<[JsonObject, boolean | undefined]>([
  [{ jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED' }, true],
  [{ jobDeploymentStatus: 'Complete', jobStatus: 'STOPPED' }, false],
  [{ jobDeploymentStatus: 'Failed', jobStatus: 'SUCCEEDED' }, false],
  // Ray retries it.
  [{ jobDeploymentStatus: 'Running', jobStatus: 'FAILED' }, undefined],
  [{ jobStatus: 'SUCCEEDED' }, undefined],
])('a RayJob with the status %j has succeeded: %s', (status, isSuccess) => {
  const rayJob = named('ray.io/v1 RayJob');
  const ended = (message: string) => (isSuccess === undefined ? undefined : { isSuccess, message });
  expect(endOf(rayJob, { ...status, message: 'words' })).toEqual(ended('words'));
  expect(endOf(rayJob, status)).toEqual(ended(''));
});

it.each(['apps/v1 Deployment', 'batch/v1beta1 Job', 'v1 Pod'])(
  'the end of a %s is read from its Pods',
  (kind) => {
    expect(saysItsEnd(named(kind))).toBe(false);
    expect(endOf(named(kind), { conditions: [holds('Complete')] })).toBeUndefined();
  },
);

it.each([undefined, {}, { conditions: 'none' }, { conditions: [null] }])(
  'a Job with the status %j has not ended',
  (status) => {
    expect(endOf(named('batch/v1 Job'), status)).toBeUndefined();
  },
);

it.each([
  ['api.practice.com/v1alpha1', true],
  ['batch/v1', false],
])('what has the API version %s follows its own Pods: %s', (apiVersion, isOurs) => {
  expect(isOursToRun({ apiVersion })).toBe(isOurs);
});
