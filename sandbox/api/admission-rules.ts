/**
 * Selects the webhooks and policies that a write must pass (apiserver
 * pkg/admission/plugin/webhook/predicates and pkg/admission/plugin/policy/matching).
 */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { AdmissionStep } from './admission-step.ts';
import { type LabelSelector, selects } from '../apimachinery/label-selector.ts';
import type { World } from './world.ts';

/** The rules and selectors by which a webhook or policy selects writes. */
export interface Constraints {
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly rules?: readonly Rule[];
}

export interface Rule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

const namespaces = { group: '', plural: 'namespaces' };

/** Objects that configure admission are exempt from it: it could lock itself in. */
export function isExempt({ call: { type } }: AdmissionStep): boolean {
  return type.group === 'admissionregistration.k8s.io';
}

export function concerns(constraints: Constraints, step: AdmissionStep, world: World): boolean {
  const { rules = [], namespaceSelector, objectSelector } = constraints;
  return (
    rules.some((rule) => matchesRule(rule, step)) &&
    matchesNamespace(namespaceSelector, step, world) &&
    (matchesObject(objectSelector, step.object) || matchesObject(objectSelector, step.old))
  );
}

function matchesRule(
  rule: Rule,
  { operation, call: { type, subresource } }: AdmissionStep,
): boolean {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope = '*' } = rule;
  const has = (list: readonly string[], value: string): boolean =>
    list.includes('*') || list.includes(value);
  return (
    has(operations, operation) &&
    has(apiGroups, type.group) &&
    has(apiVersions, type.version) &&
    (scope === '*' || scope === (type.namespaced ? 'Namespaced' : 'Cluster')) &&
    resources.some((resource) => matchesResource(resource, type.plural, subresource))
  );
}

// pods, pods/status, pods/*, *, */scale, */*
function matchesResource(pattern: string, plural: string, subresource: string): boolean {
  const [resource = '', part = ''] = pattern.split('/');
  return (resource === '*' || resource === plural) && (part === subresource || part === '*');
}

function matchesNamespace(
  selector: LabelSelector | undefined,
  { call, object, old }: AdmissionStep,
  { store }: World,
): boolean {
  if (selector === undefined) return true;
  const { type, namespace } = call;
  if (type.group === '' && type.plural === 'namespaces') {
    return selects(selector, (object ?? old)?.metadata.labels);
  }
  if (!type.namespaced) return true;
  return selects(selector, store.get(namespaces, '', namespace)?.metadata.labels);
}

function matchesObject(
  selector: LabelSelector | undefined,
  object: KubeObject | undefined,
): boolean {
  if (selector === undefined) return true;
  return object !== undefined && selects(selector, object.metadata.labels);
}
