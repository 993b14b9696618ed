/** Roles and their bindings (pkg/apis/rbac/validation). They are stored and shown, but not enforced. */
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { Json } from '#shared/domain/objects.ts';
import { invalid, notSupported, required } from '../../apimachinery/cause.ts';
import type { Draft } from '../draft.ts';
import { pathSegmentFault } from '../../apimachinery/names.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import { plain, type Strategy } from '../strategy.ts';

interface PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Subject {
  readonly kind?: string;
  readonly apiGroup?: string;
  readonly name?: string;
  readonly namespace?: string;
}

interface RoleRef {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

const named: Strategy = { ...plain, createsOnUpdate: true, nameRule: pathSegmentFault };
const group = 'rbac.authorization.k8s.io';

export const role: Strategy = {
  ...named,
  faults: (object) => {
    const isNamespaced = object.kind === 'Role';
    const rules = (object['rules'] ?? []) as readonly PolicyRule[];
    return rules.flatMap((rule, place) => ruleFaults(rule, isNamespaced, `rules[${place}]`));
  },
};

export const roleBinding: Strategy = {
  ...named,
  faults: (object) => {
    const subjects = (object['subjects'] ?? []) as readonly Subject[];
    return [
      ...roleRefFaults(object['roleRef'] ?? {}, object.kind),
      ...subjects.flatMap((subject, place) => subjectFaults(subject, `subjects[${place}]`)),
    ];
  },
  changeFaults: (object, old) =>
    jsonEqual(object['roleRef'], old['roleRef'])
      ? []
      : [invalid('roleRef', shownRef(object), 'cannot change roleRef')],
};

/** Fields have their Go names. */
function shownRef(object: Draft): Json {
  const { apiGroup = '', kind = '', name = '' } = (object['roleRef'] ?? {}) as RoleRef;
  return { APIGroup: apiGroup, Kind: kind, Name: name };
}

function ruleFaults(rule: PolicyRule, isNamespaced: boolean, path: string): readonly StatusCause[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  const { nonResourceURLs = [] } = rule;
  const faults: StatusCause[] = [];
  if (verbs.length === 0) {
    faults.push(required(`${path}.verbs`, 'verbs must contain at least one value'));
  }
  if (nonResourceURLs.length > 0) {
    const at = `${path}.nonResourceURLs`;
    if (isNamespaced) {
      const detail = 'namespaced rules cannot apply to non-resource URLs';
      faults.push(invalid(at, nonResourceURLs, detail));
    }
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      const detail = 'rules cannot apply to both regular resources and non-resource URLs';
      faults.push(invalid(at, nonResourceURLs, detail));
    }
    return faults;
  }
  if (apiGroups.length === 0) {
    const detail = 'resource rules must supply at least one api group';
    faults.push(required(`${path}.apiGroups`, detail));
  }
  if (resources.length === 0) {
    const detail = 'resource rules must supply at least one resource';
    faults.push(required(`${path}.resources`, detail));
  }
  return faults;
}

function roleRefFaults(
  { apiGroup = group, kind = '', name = '' }: RoleRef,
  owner: string,
): readonly StatusCause[] {
  const kinds = owner === 'RoleBinding' ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const faults: StatusCause[] = [];
  if (apiGroup !== group) faults.push(notSupported('roleRef.apiGroup', apiGroup, [group]));
  if (!kinds.includes(kind)) faults.push(notSupported('roleRef.kind', kind, kinds));
  if (name === '') faults.push(required('roleRef.name'));
  return faults;
}

const subjectKinds = ['ServiceAccount', 'User', 'Group'];

function subjectFaults(
  { kind = '', name = '', namespace = '' }: Subject,
  path: string,
): readonly StatusCause[] {
  const faults: StatusCause[] = [];
  if (name === '') faults.push(required(`${path}.name`));
  if (!subjectKinds.includes(kind)) {
    faults.push(notSupported(`${path}.kind`, kind, subjectKinds));
  } else if (kind === 'ServiceAccount' && namespace === '') {
    faults.push(required(`${path}.namespace`));
  }
  return faults;
}
