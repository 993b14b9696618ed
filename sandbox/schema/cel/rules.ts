/**
 * `x-kubernetes-validations` (apiextensions-apiserver schema/cel/validation.go, KEP-2876): evaluates every rule of a
 * schema with its value, and transition rules if there is an old value.
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json } from '#shared/domain/objects.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import { duplicate, forbidden, invalid, omitted, required } from '../../apimachinery/cause.ts';
import type { Correlation } from '../correlation.ts';
import { child, index, key } from '../field-path.ts';
import { propertyOf, valuesOf } from '../member-schema.ts';
import { keyedItems, listMapKey } from '../list-map.ts';
import type { Schema, ValidationRule } from '../schema.ts';
import { CelFault } from './cel-fault.ts';
import { none, Optional, type CelValue } from './cel-value.ts';
import { CostLimitExceeded, objectBudget } from './cost.ts';
import { compileExpression, type Expression } from './expression.ts';
import { normalizedFieldPath } from './rule-path.ts';
import { celValue, resourceSchema } from './schema-value.ts';

/** The faults of the rules about one object, and the rest of their cost budget. */
export class Findings {
  readonly causes: StatusCause[];
  #budget = objectBudget;

  constructor(causes: StatusCause[]) {
    this.causes = causes;
  }

  /** Whether no more rules are evaluated. */
  isOver(): boolean {
    return this.#budget < 0;
  }

  /** Whether the budget was sufficient. */
  spend(cost: number): boolean {
    this.#budget = cost > this.#budget ? -1 : this.#budget - cost;
    return !this.isOver();
  }

  end(cause: StatusCause): void {
    this.causes.push(cause);
    this.#budget = -1;
  }
}

export interface RuleCheck {
  readonly check: (subject: Subject, path: string, findings: Findings) => void;
  /** Whether a rule below reads the old value, so that unchanged values are checked too. */
  readonly hasTransition: boolean;
}

/** A value, and its old value if the two can be matched. */
export interface Subject {
  readonly value: Json;
  readonly old: Json | undefined;
  readonly correlation: Correlation | undefined;
  /** The nearest enclosing value that can be matched. */
  readonly enclosing: Correlation | undefined;
}

interface CompiledRule {
  readonly rule: ValidationRule;
  readonly expression: Expression;
  readonly message: Expression | undefined;
  readonly path: string;
}

const variables = ['self', 'oldSelf'];
/** Limit for an evaluated message in bytes. */
const longestMessage = 5 * 1024;

/** The result of a message expression if it is usable: one line, not empty and not too long. */
export function messageLine(evaluated: CelValue | Error | undefined): string | undefined {
  if (typeof evaluated !== 'string') return undefined;
  const line = evaluated.trim();
  const isUsable = line !== '' && !line.includes('\n') && Buffer.byteLength(line) <= longestMessage;
  return isUsable ? line : undefined;
}

/** `isRoot`: the root of a custom resource. Undefined when there are no rules. Throws StatusError 501. */
export function compileRules(schema: Schema, isRoot: boolean): RuleCheck | undefined {
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const own = ownRules(isResource ? resourceSchema(schema) : schema);
  const items = schema.items && compileRules(schema.items, false);
  const values = valuesOf(schema);
  const ofValues = values && compileRules(values, false);
  const fields = fieldRules(schema);
  const parts = [own, items, ofValues, ...fields.map(([, rules]) => rules)];
  if (parts.every((part) => part === undefined)) return undefined;
  const hasTransition = parts.some((part) => part?.hasTransition === true);
  const isListMap = schema['x-kubernetes-list-type'] === 'map';
  const keys = isListMap ? schema['x-kubernetes-list-map-keys'] : undefined;

  const check: RuleCheck['check'] = (subject, path, findings) => {
    const { value, correlation } = subject;
    if (value === null || findings.isOver()) return;
    if (!hasTransition && correlation !== undefined && correlation.value === correlation.old)
      return;
    own?.check(subject, path, findings);
    if (findings.isOver()) return;
    if (isList(value)) {
      if (items) checkItems(items, subject, value, keys, path, findings);
    } else if (isObject(value)) {
      const old = isObject(subject.old) ? subject.old : undefined;
      if (ofValues) {
        for (const name in value) {
          if (value[name] === undefined || propertyOf(schema, name)) continue;
          const inner = memberSubject(subject, name, value[name], old?.[name]);
          ofValues.check(inner, key(path, name), findings);
        }
      }
      for (const [name, rules] of fields) {
        const member = value[name];
        if (member === undefined) continue;
        rules.check(memberSubject(subject, name, member, old?.[name]), child(path, name), findings);
      }
    }
  };
  return { check, hasTransition };
}

function fieldRules(schema: Schema): readonly (readonly [string, RuleCheck])[] {
  const found: [string, RuleCheck][] = [];
  for (const name in schema.properties) {
    const property = propertyOf(schema, name);
    const rules = property && compileRules(property, false);
    if (rules) found.push([name, rules]);
  }
  return found;
}

function checkItems(
  items: RuleCheck,
  subject: Subject,
  list: readonly Json[],
  keys: readonly string[] | undefined,
  path: string,
  findings: Findings,
): void {
  const before = keys && isList(subject.old) ? keyedItems(subject.old, keys) : undefined;
  list.forEach((value, at) => {
    const identity = before && keys && isObject(value) ? listMapKey(value, keys) : undefined;
    const old = identity === undefined ? undefined : before?.get(identity);
    const { correlation } = subject;
    const inner =
      correlation === undefined
        ? { ...subject, value, old }
        : { value, old, correlation: correlation.item(at), enclosing: correlation };
    items.check(inner, index(path, at), findings);
  });
}

function memberSubject(
  subject: Subject,
  name: string,
  value: Json,
  old: Json | undefined,
): Subject {
  const { correlation, enclosing } = subject;
  if (correlation === undefined) return { ...subject, value, old };
  // Fields that a conversion changes are not changes of the user.
  if (enclosing === undefined && (name === 'apiVersion' || name === 'kind')) {
    return { value, old, correlation: undefined, enclosing: undefined };
  }
  return { value, old, correlation: correlation.member(name), enclosing: correlation };
}

function ownRules(schema: Schema): RuleCheck | undefined {
  const rules = (schema['x-kubernetes-validations'] ?? [])
    .filter(({ rule }) => rule.trim() !== '')
    .map((rule) => compileRule(rule, schema));
  if (rules.length === 0) return undefined;
  const needsOld = rules.some(({ expression }) => expression.reads.has('oldSelf'));
  return {
    hasTransition: needsOld,
    check: (subject, path, findings) => {
      const values = new Values(subject, schema);
      for (const rule of rules) {
        if (findings.isOver()) return;
        evaluate(rule, values, path, findings);
      }
    },
  };
}

function compileRule(rule: ValidationRule, schema: Schema): CompiledRule {
  const { messageExpression } = rule;
  return {
    rule,
    expression: compileExpression(rule.rule, variables),
    message: messageExpression ? compileExpression(messageExpression, variables) : undefined,
    path: normalizedFieldPath(rule.fieldPath, schema),
  };
}

/** `self` and `oldSelf`, converted once for all rules of a value, and only if one is evaluated. */
class Values {
  readonly subject: Subject;
  readonly schema: Schema;
  #self: CelValue | undefined;
  #old: CelValue | undefined;

  constructor(subject: Subject, schema: Schema) {
    this.subject = subject;
    this.schema = schema;
  }

  get hasOld(): boolean {
    return (this.subject.old ?? null) !== null;
  }

  bound(isOptional: boolean, readsOld: boolean): readonly CelValue[] {
    const self = (this.#self ??= celValue(this.subject.value, this.schema));
    if (!readsOld) return [self];
    if (!this.hasOld) return [self, none];
    const old = (this.#old ??= celValue(this.subject.old ?? null, this.schema));
    return [self, isOptional ? new Optional(old) : old];
  }
}

function evaluate(
  { rule, expression, message, path: rulePath }: CompiledRule,
  values: Values,
  path: string,
  findings: Findings,
): void {
  const { subject, schema } = values;
  const readsOld = expression.reads.has('oldSelf');
  const isOptional = rule.optionalOldSelf === true;
  if (readsOld && !values.hasOld && !isOptional) return;
  const end = (detail: string): void => findings.end(invalid(path, schema.type ?? '', detail));
  const outcome = outcomeOf(expression, values.bound(isOptional, readsOld));
  if (!findings.spend(expression.cost())) {
    end(overBudget);
    return;
  }
  if (outcome instanceof CostLimitExceeded) {
    end(
      `'${outcome.message}': ${noFurther} due to call cost exceeds limit for rule: ${nameOf(rule)}`,
    );
    return;
  }
  if (outcome instanceof CelFault) {
    findings.causes.push(invalid(path, schema.type ?? '', faultText(outcome, rule)));
    return;
  }
  if (outcome === true) return;
  if (!readsOld && isForgiven(subject)) return;
  const evaluated = evaluatedMessage(message, values, isOptional, findings);
  if (evaluated instanceof CostLimitExceeded) {
    const source = JSON.stringify(rule.messageExpression);
    end(`${noFurther} due to call cost exceeds limit for messageExpression: ${source}`);
    return;
  }
  if (findings.isOver()) {
    end(`messageExpression evaluation failed due to running out of cost budget, ${noFurther}`);
    return;
  }
  const at = rulePath === '' ? path : child(path, rulePath);
  findings.causes.push(causeFor(rule, at, subject.value, schema, evaluated ?? plainMessage(rule)));
}

const noFurther = 'no further validation rules will be run';
export const overBudget = `validation failed due to running out of cost budget, ${noFurther}`;

/** The result of the expression, or its fault. */
export function outcomeOf(
  expression: Expression,
  values: readonly CelValue[],
): CelValue | CelFault | CostLimitExceeded {
  try {
    return expression.evaluate(values);
  } catch (fault) {
    if (fault instanceof CelFault || fault instanceof CostLimitExceeded) return fault;
    throw fault;
  }
}

/** An unchanged value is allowed to stay invalid (KEP-4008). */
function isForgiven({ correlation, enclosing }: Subject): boolean {
  return correlation === undefined ? enclosing?.same === true : correlation.same;
}

function causeFor(
  { reason }: ValidationRule,
  path: string,
  value: Json,
  schema: Schema,
  detail: string,
): StatusCause {
  const shown = schema.type === 'object' || schema.type === 'array' ? omitted : value;
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(path, detail);
    case 'FieldValueRequired':
      return required(path, detail);
    case 'FieldValueDuplicate':
      return duplicate(path, shown);
    default:
      return invalid(path, shown, detail);
  }
}

/** The message that an expression gives. Undefined if it fails or is not a single line. */
function evaluatedMessage(
  message: Expression | undefined,
  values: Values,
  isOptional: boolean,
  findings: Findings,
): string | CostLimitExceeded | undefined {
  if (message === undefined) return undefined;
  const text = outcomeOf(message, values.bound(isOptional, message.reads.has('oldSelf')));
  if (text instanceof CostLimitExceeded) return text;
  return findings.spend(message.cost()) ? messageLine(text) : undefined;
}

function plainMessage(rule: ValidationRule): string {
  return rule.message ? rule.message.trim() : `failed rule: ${nameOf(rule)}`;
}

function faultText({ message }: CelFault, rule: ValidationRule): string {
  if (!message.startsWith('no such overload')) return `${message} evaluating rule: ${nameOf(rule)}`;
  const what = 'call arguments did not match a supported operator, function or macro signature';
  return `'${message}': ${what} for rule: ${nameOf(rule)}`;
}

function nameOf({ message, rule }: ValidationRule): string {
  return (message === undefined || message === '' ? rule : message).trim();
}
