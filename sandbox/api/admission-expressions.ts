/**
 * CEL expressions about one write: conditions of webhooks and policies, and the rules of policies.
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import { compileExpression, type Expression } from '../schema/cel/expression.ts';
import { plainValue } from '../schema/cel/plain-value.ts';
import { outcomeOf } from '../schema/cel/rules.ts';
import { Authorizer } from '../schema/cel/authorizer.ts';
import type { CelValue } from '../schema/cel/cel-value.ts';
import { userOf } from './access.ts';
import type { AdmissionStep } from './admission-step.ts';
import { asJson } from './draft.ts';
import type { World } from './world.ts';

const variables = ['object', 'oldObject', 'authorizer', 'request'];

/** By their text: every sandbox of a process evaluates the same expressions of a policy. */
const expressions = new Map<string, Expression>();

export function expressionOf(source: string): Expression {
  let known = expressions.get(source);
  if (known === undefined) {
    known = compileExpression(source, variables);
    expressions.set(source, known);
  }
  return known;
}

/** Values of the variables, in their order. */
export function valuesOf(
  { object, old, call }: Pick<AdmissionStep, 'object' | 'old' | 'call'>,
  { permits }: Pick<World, 'permits'>,
): readonly CelValue[] {
  const values = [object, old].map((each) =>
    plainValue(each === undefined ? undefined : asJson(each)),
  );
  const { username, groups } = userOf(call);
  const mayDo = (resourceAttributes: JsonObject) =>
    permits({ user: username, groups, resourceAttributes });
  const dryRun = call.options.dryRun === true;
  const request = { userInfo: { username, groups: [...groups] }, dryRun };
  return [...values, new Authorizer(mayDo), plainValue(request)];
}

/**
 * Whether all conditions hold. A false one takes precedence over one that fails
 * (matchconditions.Match).
 */
export function meets(
  conditions: readonly Expression[],
  values: ReturnType<typeof valuesOf>,
): boolean | Error {
  const asked = conditions.map((condition) => outcomeOf(condition, values));
  if (asked.includes(false)) return false;
  return asked.find((outcome) => outcome instanceof Error) ?? true;
}
