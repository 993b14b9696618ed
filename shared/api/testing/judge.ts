/** The verdict of Millrace's validator on an object of any of its kinds. */
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

/** For a flow, without the rules that the CRD cannot express. */
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

/** The API path for objects of its kind, in the version that it names. */
export function collectionPath(object: Loose, namespace: string): string {
  const kind = String(object['kind']);
  const scope = kind === 'ClusterSuspendPolicy' ? '' : `/namespaces/${namespace}`;
  return `/apis/${String(object['apiVersion'])}${scope}/${plurals.get(kind) ?? 'unknown'}`;
}
