/** Affinity to nodes (pkg/apis/core/validation ValidateNodeSelector), which the scheduler reads. */
import { forbidden, invalid, required } from '../../apimachinery/cause.ts';
import { labelKeyFault, labelValueFault } from '../../apimachinery/names.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';

interface Requirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

interface Term {
  readonly matchExpressions?: readonly Requirement[];
  readonly matchFields?: readonly Requirement[];
}

interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms?: readonly Term[];
    };
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
      readonly weight?: number;
      readonly preference?: Term;
    }[];
  };
}

export function affinityFaults(affinity: unknown, path: string): readonly StatusCause[] {
  const { nodeAffinity } = (affinity ?? {}) as Affinity;
  if (nodeAffinity === undefined) return [];
  const {
    requiredDuringSchedulingIgnoredDuringExecution: needed,
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = nodeAffinity;
  const at = `${path}.nodeAffinity`;
  return [
    ...(needed === undefined ? [] : neededFaults(needed.nodeSelectorTerms ?? [], at)),
    ...preferred.flatMap(({ weight = 0, preference = {} }, place) => {
      const own = `${at}.preferredDuringSchedulingIgnoredDuringExecution[${place}]`;
      const isWeight = weight >= 1 && weight <= 100;
      return [
        ...(isWeight ? [] : [invalid(`${own}.weight`, weight, 'must be in the range 1-100')]),
        ...termFaults(preference, `${own}.preference`),
      ];
    }),
  ];
}

function neededFaults(terms: readonly Term[], path: string): readonly StatusCause[] {
  const at = `${path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  if (terms.length === 0) {
    return [required(at, 'must have at least one node selector term')];
  }
  return terms.flatMap((term, place) => termFaults(term, `${at}[${place}]`));
}

function termFaults({ matchExpressions = [], matchFields = [] }: Term, path: string) {
  return [
    ...matchExpressions.flatMap((requirement, place) =>
      expressionFaults(requirement, `${path}.matchExpressions[${place}]`),
    ),
    ...matchFields.flatMap((requirement, place) =>
      fieldFaults(requirement, `${path}.matchFields[${place}]`),
    ),
  ];
}

function expressionFaults(
  { key = '', operator = '', values = [] }: Requirement,
  path: string,
): readonly StatusCause[] {
  const faults: StatusCause[] = [];
  const valuesPath = `${path}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) {
        const detail = "must be specified when `operator` is 'In' or 'NotIn'";
        faults.push(required(valuesPath, detail));
      }
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) {
        const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
        faults.push(forbidden(valuesPath, detail));
      }
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1) {
        const detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
        faults.push(required(valuesPath, detail));
      }
      break;
    default:
      faults.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  }
  const keyFault = labelKeyFault(key);
  if (keyFault !== undefined) faults.push(invalid(`${path}.key`, key, keyFault));
  for (const [place, value] of values.entries()) {
    const fault = labelValueFault(value);
    if (fault !== undefined) faults.push(invalid(`${valuesPath}[${place}]`, value, fault));
  }
  return faults;
}

/** The name of a node is the only field that can be selected. */
function fieldFaults(
  { key = '', operator = '', values = [] }: Requirement,
  path: string,
): readonly StatusCause[] {
  const faults: StatusCause[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    faults.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const detail =
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    faults.push(required(`${path}.values`, detail));
  }
  if (key !== 'metadata.name') {
    faults.push(invalid(`${path}.key`, key, 'not a valid field selector key'));
  }
  return faults;
}
