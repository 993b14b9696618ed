/** PriorityClass (pkg/registry/scheduling/priorityclass, pkg/apis/scheduling/validation). */
import { forbidden, notSupported } from '../../apimachinery/cause.ts';
import type { Draft } from '../draft.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import { plain, type Strategy } from '../strategy.ts';

const highestOfUsers = 1_000_000_000;
/** The priorities that every API server has, by name. */
export const systemPriorities: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

const policies = ['PreemptLowerPriority', 'Never'];

export const priorityClass: Strategy = {
  ...plain,
  keepsGeneration: true,
  defaults: (object) =>
    object['preemptionPolicy'] === undefined
      ? { ...object, preemptionPolicy: 'PreemptLowerPriority' }
      : object,
  faults,
  changeFaults: (object, old) =>
    object['value'] === old['value']
      ? []
      : [forbidden('value', 'may not be changed in an update.')],
};

function faults(object: Draft): readonly StatusCause[] {
  const value = (object['value'] ?? 0) as number;
  const policy = object['preemptionPolicy'] as string;
  const found: StatusCause[] = [];
  const { name } = object.metadata;
  if (name.startsWith('system-')) {
    const why = systemFault(name, value);
    const reserved = "priority class names with 'system-' prefix are reserved for system use only";
    if (why !== undefined) found.push(forbidden('metadata.name', `${reserved}. error: ${why}`));
  } else if (value > highestOfUsers) {
    const detail = `maximum allowed value of a user defined priority is ${highestOfUsers}`;
    found.push(forbidden('value', detail));
  }
  if (!policies.includes(policy)) found.push(notSupported('preemptionPolicy', policy, policies));
  return found;
}

function systemFault(name: string, value: number): string | undefined {
  const known = systemPriorities[name];
  if (known === undefined) return `${name} is not a known system priority class`;
  return value === known ? undefined : `value of ${name} PriorityClass must be ${known}`;
}
