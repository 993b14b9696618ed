/** Our validator's verdict on an object of any of our kinds. */
import type { Verdict } from '../fault.ts';
import {
  validateClusterSuspendPolicy,
  validateDaemonJob,
  validateJobFlow,
  validateJobFlowAsCrd,
  validateJobTemplate,
  validateSuspendPolicy,
} from '../validate.ts';
import type { Loose } from './verdict-case.ts';

export function judge(object: Loose): Verdict<unknown> {
  return object['kind'] === 'JobFlow' ? validateJobFlow(object) : judgeAsCrd(object);
}

/** Of a flow without what the CRD cannot see. */
export function judgeAsCrd(object: Loose): Verdict<unknown> {
  switch (object['kind']) {
    case 'JobFlow':
      return validateJobFlowAsCrd(object);
    case 'DaemonJob':
      return validateDaemonJob(object);
    case 'SuspendPolicy':
      return validateSuspendPolicy(object);
    case 'ClusterSuspendPolicy':
      return validateClusterSuspendPolicy(object);
    default:
      return validateJobTemplate(object);
  }
}

const plurals = new Map([
  ['JobFlow', 'jobflows'],
  ['DaemonJob', 'daemonjobs'],
  ['JobTemplate', 'jobtemplates'],
  ['SuspendPolicy', 'suspendpolicies'],
  ['ClusterSuspendPolicy', 'clustersuspendpolicies'],
]);

/** Where objects of its kind are served, as it states its version. */
export function collectionPath(object: Loose, namespace: string): string {
  const kind = String(object['kind']);
  const scope = kind === 'ClusterSuspendPolicy' ? '' : `/namespaces/${namespace}`;
  return `/apis/${String(object['apiVersion'])}${scope}/${plurals.get(kind) ?? 'unknown'}`;
}
