/** PriorityClass (pkg/registry/scheduling/priorityclass). */
import { forbidden } from '../../schema/cause.ts';
import { plain, type Strategy } from '../strategy.ts';

export const priorityClass: Strategy = {
  ...plain,
  keepsGeneration: true,
  defaults: (object) =>
    object['preemptionPolicy'] === undefined
      ? { ...object, preemptionPolicy: 'PreemptLowerPriority' }
      : object,
  changeFaults: (object, old) =>
    object['value'] === old['value']
      ? []
      : [forbidden('value', 'may not be changed in an update.')],
};
