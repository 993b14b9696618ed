/**
 * The variable `authorizer` (apiserver pkg/cel/library/authz.go), with which a rule checks further rights of the user
 * who writes. Checks of paths and service accounts are not simulated.
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import { noSuchOverload } from './cel-fault.ts';
import { CelObject, type CelValue } from './cel-value.ts';
import { textOf } from './text-functions.ts';

/** Answers whether the user has the right with these attributes (authorization.k8s.io/v1 ResourceAttributes). */
export type MayDo = (attributes: JsonObject) => boolean;

/** A check that an expression is building, with the attributes so far. */
export class Authorizer extends CelObject {
  readonly typeName = 'kubernetes.authorization.Authorizer';
  readonly mayDo: MayDo;
  readonly attributes: JsonObject;

  constructor(mayDo: MayDo, attributes: JsonObject = {}) {
    super();
    this.mayDo = mayDo;
    this.attributes = attributes;
  }

  equals(other: CelObject): boolean {
    return other === this;
  }
}

class AccessDecision extends CelObject {
  readonly typeName = 'kubernetes.authorization.Decision';
  readonly allowed: boolean;

  constructor(allowed: boolean) {
    super();
    this.allowed = allowed;
  }

  equals(other: CelObject): boolean {
    return other === this;
  }
}

type Member = (...args: CelValue[]) => CelValue;

/** Functions that set an attribute. */
export const authorizerFields: Readonly<Record<string, Member>> = Object.fromEntries(
  ['group', 'resource', 'subresource', 'namespace', 'name'].map((field): [string, Member] => [
    field,
    (value, text) => {
      const { mayDo, attributes } = authorizerOf(value);
      return new Authorizer(mayDo, { ...attributes, [field]: textOf(text) });
    },
  ]),
);

export function checkAccess(value: CelValue | undefined, verb: CelValue | undefined): CelValue {
  const { mayDo, attributes } = authorizerOf(value);
  return new AccessDecision(mayDo({ ...attributes, verb: textOf(verb) }));
}

export function isAllowed(decision: CelValue | undefined): CelValue {
  if (decision instanceof AccessDecision) return decision.allowed;
  throw noSuchOverload();
}

function authorizerOf(value: CelValue | undefined): Authorizer {
  if (value instanceof Authorizer) return value;
  throw noSuchOverload();
}
