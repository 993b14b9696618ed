/**
 * The variable `authorizer` (apiserver pkg/cel/library/authz.go): who writes may ask whether he may do
 * something else as well. Checks of paths and of service accounts are not simulated.
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import { noSuchOverload } from './cel-fault.ts';
import { CelObject, type CelValue } from './cel-value.ts';
import { textOf } from './text-functions.ts';

/** Answers the attributes of a resource (authorization.k8s.io/v1 ResourceAttributes). */
export type MayDo = (attributes: JsonObject) => boolean;

/** What is asked about, as far as the expression has said. */
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

/** Those that say what is asked about. */
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
