/**
 * Admission by ValidatingAdmissionPolicy (apiserver pkg/admission/plugin/policy/validating), with the messages of
 * refusals.
 */
import type { KubeObject } from '#shared/domain/objects.ts';
import { qualified, StatusError } from '../apimachinery/status-error.ts';
import { objectBudget } from '../schema/cel/cost.ts';
import type { Expression } from '../schema/cel/expression.ts';
import { messageLine, outcomeOf, overBudget } from '../schema/cel/rules.ts';
import { expressionOf, meets, valuesOf } from './admission-expressions.ts';
import { concerns, isExempt, type Constraints, type Rule } from './admission-rules.ts';
import type { AdmissionStep } from './admission-step.ts';
import type { Warn } from './api-call.ts';
import type { World } from './world.ts';

const group = 'admissionregistration.k8s.io';
const policies = { group, plural: 'validatingadmissionpolicies' };
const bindings = { group, plural: 'validatingadmissionpolicybindings' };

interface Matching extends Omit<Constraints, 'rules'> {
  readonly resourceRules?: readonly Rule[];
}

interface Policy extends KubeObject {
  readonly spec: {
    readonly failurePolicy?: 'Fail' | 'Ignore';
    readonly matchConstraints?: Matching;
    readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
    readonly validations?: readonly Validation[];
  };
}

interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

interface Binding extends KubeObject {
  readonly spec: {
    readonly policyName: string;
    readonly validationActions?: readonly ('Deny' | 'Warn' | 'Audit')[];
    readonly matchResources?: Matching;
  };
}

interface Compiled {
  readonly conditions: readonly Expression[];
  readonly validations: readonly {
    readonly validation: Validation;
    readonly expression: Expression;
    readonly message: Expression | undefined;
  }[];
}

/** Reason of the refusal. An error without a reason of its own is Invalid. */
interface Denial {
  readonly message: string;
  readonly reason: string;
}

type Outcome = ReturnType<typeof outcomeOf>;

/** HTTP codes of the reasons that a validation may name (reasonToCode). */
const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  RequestEntityTooLarge: 413,
};

export class Policies {
  readonly #world: World;
  readonly #compiled = new WeakMap<Policy, Compiled>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Throws StatusError: the first denial, after all warnings, or 501 for something that is not simulated. */
  judge(step: AdmissionStep, warn: Warn | undefined): void {
    if (step.phase !== 'validate' || isExempt(step)) return;
    const bound = this.#world.store.list(bindings) as readonly Binding[];
    if (bound.length === 0) return;
    let first: StatusError | undefined;
    for (const policy of this.#world.store.list(policies) as readonly Policy[]) {
      const { name } = policy.metadata;
      const concerned = bound.filter(
        (binding) => binding.spec.policyName === name && this.#concerns(binding, step),
      );
      if (concerned.length === 0 || !this.#matches(policy.spec.matchConstraints, step)) continue;
      for (const { message, reason } of this.#denials(policy, step)) {
        for (const { metadata, spec } of concerned) {
          const by = `ValidatingAdmissionPolicy '${name}' with binding '${metadata.name}'`;
          const { validationActions = [] } = spec;
          if (validationActions.includes('Warn')) warn?.(`Validation failed for ${by}: ${message}`);
          if (validationActions.includes('Deny')) {
            first ??= denied(`${by} denied request: ${message}`, reason, step);
          }
        }
      }
    }
    if (first !== undefined) throw first;
  }

  #concerns({ spec: { matchResources } }: Binding, step: AdmissionStep): boolean {
    if (matchResources === undefined) return true;
    // A binding without rules of its own covers everything that its policy covers.
    const rules = matchResources.resourceRules ?? anything;
    return this.#matches({ ...matchResources, resourceRules: rules }, step);
  }

  #matches(matching: Matching | undefined, step: AdmissionStep): boolean {
    const { resourceRules = [], ...selectors } = matching ?? {};
    return concerns({ ...selectors, rules: resourceRules }, step, this.#world);
  }

  #denials(policy: Policy, step: AdmissionStep): readonly Denial[] {
    let compiled = this.#compiled.get(policy);
    if (compiled === undefined) {
      compiled = compile(policy);
      this.#compiled.set(policy, compiled);
    }
    const found = denials(compiled, step, this.#world);
    // Ignore applies to expressions that could not be evaluated, never to a denial.
    const isIgnored = policy.spec.failurePolicy === 'Ignore';
    return isIgnored ? found.filter(({ isError }) => !isError) : found;
  }
}

const anything: readonly Rule[] = [
  { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*', '*/*'] },
];

function compile({ spec: { matchConditions = [], validations = [] } }: Policy): Compiled {
  return {
    conditions: matchConditions.map(({ expression }) => expressionOf(expression)),
    validations: validations.map((validation) => ({
      validation,
      expression: expressionOf(validation.expression),
      message:
        validation.messageExpression === undefined
          ? undefined
          : expressionOf(validation.messageExpression),
    })),
  };
}

type Found = Denial & { readonly isError: boolean };

function denials(
  { conditions, validations }: Compiled,
  step: AdmissionStep,
  world: World,
): readonly Found[] {
  const values = valuesOf(step, world);
  const isMeant = meets(conditions, values);
  if (isMeant === false) return [];
  if (isMeant instanceof Error) return [failure(isMeant.message)];
  let budget = objectBudget;
  const paid = (expression: Expression): Outcome => {
    const outcome = outcomeOf(expression, values);
    budget -= expression.cost();
    return outcome;
  };
  const found: (readonly [Compiled['validations'][number], Outcome])[] = [];
  for (const compiled of validations) {
    const outcome = paid(compiled.expression);
    if (budget < 0) return [failure(overBudget)];
    found.push([compiled, outcome]);
  }
  // Every message is evaluated, even that of a validation that holds, and uses the same budget.
  const messages = found.map(([{ message }]) => message && paid(message));
  if (budget < 0) return found.map(() => failure(`failed messageExpression: ${overBudget}`));
  return found.flatMap(([{ validation }, outcome], at) => {
    if (outcome === true) return [];
    if (outcome instanceof Error) {
      const { expression } = validation;
      return [failure(`expression '${expression}' resulted in error: ${outcome.message}`)];
    }
    const { reason = 'Invalid' } = validation;
    return [{ message: wordsOf(validation, messages[at]), reason, isError: false }];
  });
}

function failure(message: string): Found {
  return { message, reason: 'Invalid', isError: true };
}

/** The message that an expression gives. Undefined if it fails or is not a single line. */
function wordsOf({ message, expression }: Validation, evaluated: Outcome | undefined): string {
  const line = messageLine(evaluated);
  if (line !== undefined) return line;
  const plain = message?.trim() ?? '';
  return plain === '' ? `failed expression: ${expression.trim()}` : plain;
}

/** Words a refusal as apiserver pkg/admission/errors.go does. */
function denied(message: string, reason: string, { call, object }: AdmissionStep): StatusError {
  const { group, plural } = call.type;
  const name = call.name === '' ? (object?.metadata.name ?? '') : call.name;
  const text = `${qualified(call.type)} ${JSON.stringify(name)} is forbidden: ${message}`;
  return new StatusError(codes[reason] ?? 422, reason, text, {
    name,
    ...(group === '' ? {} : { group }),
    kind: plural,
    causes: [{ reason: '', message }],
  });
}
