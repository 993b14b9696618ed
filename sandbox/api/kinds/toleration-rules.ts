/** Tolerations of taints (pkg/apis/core/validation ValidateTolerations). */
import { invalid, notSupported } from '../../apimachinery/cause.ts';
import { labelKeyFault, labelValueFault } from '../../apimachinery/names.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function tolerationFaults(
  tolerations: readonly Toleration[],
  path: string,
): readonly StatusCause[] {
  return tolerations.flatMap((toleration, place) => faultsOf(toleration, `${path}[${place}]`));
}

function faultsOf(toleration: Toleration, path: string): readonly StatusCause[] {
  const { key = '', operator = '', effect = '', tolerationSeconds } = toleration;
  const faults: StatusCause[] = [];
  const keyFault = key === '' ? undefined : labelKeyFault(key);
  if (keyFault !== undefined) faults.push(invalid(`${path}.key`, key, keyFault));
  if (key === '' && operator !== 'Exists') {
    const detail =
      'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    faults.push(invalid(`${path}.operator`, operator, detail));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    faults.push(invalid(`${path}.effect`, effect, detail));
  }
  faults.push(...operatorFaults(toleration, path));
  if (effect !== '' && !effects.includes(effect)) {
    faults.push(notSupported(`${path}.effect`, effect, effects));
  }
  return faults;
}

function operatorFaults(
  { operator = '', value = '' }: Toleration,
  path: string,
): readonly StatusCause[] {
  const at = `${path}.operator`;
  switch (operator) {
    case '':
    case 'Equal': {
      const fault = labelValueFault(value);
      return fault === undefined ? [] : [invalid(at, value, fault)];
    }
    case 'Exists':
      return value === ''
        ? []
        : [invalid(at, value, "value must be empty when `operator` is 'Exists'")];
    default:
      return [notSupported(at, operator, ['Equal', 'Exists'])];
  }
}
