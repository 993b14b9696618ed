/** Kinds that report their own end. For all others the Pods show it. */
import { fieldsOf, isList } from '#shared/domain/json-value.ts';
import type { KindName } from '#shared/domain/kind-name.ts';
import { apiVersionOf } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';

export interface End {
  readonly isSuccess: boolean;
  readonly message: string;
}

type ReadEnd = (status: unknown) => End | undefined;

/** Reads the conditions. If both hold, it is no success. */
const byConditions =
  (success: string, failure: string): ReadEnd =>
  (status) =>
    heldBy(status, failure, false) ?? heldBy(status, success, true);

/** The original treats `failed` of a RayJob as temporary. It has ended only with these deployment states. */
const rayJobEnd: ReadEnd = (status) => {
  const { jobStatus, jobDeploymentStatus, message } = fieldsOf(status);
  const words = typeof message === 'string' ? message : '';
  if (jobDeploymentStatus === 'Failed') return { isSuccess: false, message: words };
  if (jobDeploymentStatus !== 'Complete') return undefined;
  return { isSuccess: jobStatus === 'SUCCEEDED', message: words };
};

const readers: ReadonlyMap<string, ReadEnd> = new Map(
  Object.entries({
    'batch/v1 Job': byConditions('Complete', 'Failed'),
    'jobset.x-k8s.io/v1alpha2 JobSet': byConditions('Completed', 'Failed'),
    'kubeflow.org/v1 PyTorchJob': byConditions('Succeeded', 'Failed'),
    'trainer.kubeflow.org/v1alpha1 TrainJob': byConditions('Complete', 'Failed'),
    'ray.io/v1 RayJob': rayJobEnd,
    'api.practice.com/v1alpha1 JobFlow': byConditions('Complete', 'Failed'),
    'api.practice.com/v1alpha1 DaemonJob': byConditions('Complete', 'Failed'),
  }),
);

export function saysItsEnd({ apiVersion, kind }: KindName): boolean {
  return readers.has(`${apiVersion} ${kind}`);
}

/** Undefined: it has not ended, or its kind does not report its end. */
export function endOf({ apiVersion, kind }: KindName, status: unknown): End | undefined {
  return readers.get(`${apiVersion} ${kind}`)?.(status);
}

function heldBy(status: unknown, type: string, isSuccess: boolean): End | undefined {
  const { conditions } = fieldsOf(status);
  const held = (isList(conditions) ? conditions : [])
    .map(fieldsOf)
    .find((each) => each['type'] === type && each['status'] === 'True');
  if (held === undefined) return undefined;
  const { message } = held;
  return { isSuccess, message: typeof message === 'string' ? message : '' };
}

/**
 * Whether it is a kind of Millrace. Such a kind follows its own Pods by protected labels, never runs all its podSets
 * at once, and reports its progress itself.
 */
export function isOursToRun({ apiVersion }: Pick<KindName, 'apiVersion'>): boolean {
  return apiVersion === apiVersionOf(resources.JobFlow);
}
