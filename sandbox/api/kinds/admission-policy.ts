/** ValidatingAdmissionPolicy and its binding (pkg/apis/admissionregistration/v1/defaults.go). */
import type { JsonObject } from '#shared/domain/objects.ts';
import { forbidden } from '../../apimachinery/cause.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import type { Draft } from '../draft.ts';
import { ownStatus, plain, type Strategy } from '../strategy.ts';

interface Spec extends JsonObject {
  readonly matchConstraints?: JsonObject & { readonly resourceRules?: readonly JsonObject[] };
  readonly matchResources?: JsonObject & { readonly resourceRules?: readonly JsonObject[] };
}

export const admissionPolicy: Strategy = {
  ...ownStatus,
  allowsUnconditionalUpdate: false,
  defaults: (object) => withSpec(object, policyDefaults),
  // The status is a Go struct and therefore always present.
  prepareCreate: (object) => ({ ...object, status: {} }),
  faults: (object) =>
    notSimulated(object, ['paramKind', 'variables', 'auditAnnotations'], 'matchConstraints'),
};

export const admissionPolicyBinding: Strategy = {
  ...plain,
  allowsUnconditionalUpdate: false,
  defaults: (object) => withSpec(object, bindingDefaults),
  faults: (object) => notSimulated(object, ['paramRef'], 'matchResources'),
};

function policyDefaults({ matchConstraints, ...spec }: Spec): JsonObject {
  return {
    failurePolicy: 'Fail',
    ...spec,
    ...(matchConstraints === undefined ? {} : { matchConstraints: constraints(matchConstraints) }),
  };
}

function bindingDefaults({ matchResources, ...spec }: Spec): JsonObject {
  return {
    ...spec,
    ...(matchResources === undefined ? {} : { matchResources: constraints(matchResources) }),
  };
}

function constraints({
  resourceRules,
  ...rest
}: NonNullable<Spec['matchConstraints']>): JsonObject {
  return {
    namespaceSelector: {},
    objectSelector: {},
    matchPolicy: 'Equivalent',
    ...rest,
    ...(resourceRules === undefined
      ? {}
      : { resourceRules: resourceRules.map((rule) => ({ scope: '*', ...rule })) }),
  };
}

/** Frozen objects come from the store and have their defaults. */
function withSpec(object: Draft, fill: (spec: Spec) => JsonObject): Draft {
  const spec = object.spec as Spec | undefined;
  if (spec === undefined || Object.isFrozen(spec)) return object;
  return { ...object, spec: fill(spec) };
}

/**
 * Refuses settings that are not simulated: the policy would judge other writes than its object says,
 * or judge them in another way.
 */
function notSimulated(
  object: Draft,
  fields: readonly string[],
  matching: 'matchConstraints' | 'matchResources',
): readonly StatusCause[] {
  const spec = (object.spec ?? {}) as Spec;
  const excluded = spec[matching]?.['excludeResourceRules'];
  return [
    ...fields.flatMap((field) => (spec[field] === undefined ? [] : [refusal(`spec.${field}`)])),
    ...(excluded === undefined ? [] : [refusal(`spec.${matching}.excludeResourceRules`)]),
  ];
}

function refusal(path: string): StatusCause {
  return forbidden(path, 'the sandbox does not simulate it');
}
