/**
 * The rules of a kind as a ValidatingAdmissionPolicy (KEP-3488, v1 since Kubernetes 1.30) with its
 * binding. Rules in the definition would be evaluated at every status write, and their estimated cost
 * would bound the number of items. A policy is evaluated only for writes of the object.
 *
 * The API server checks the schema first, so required fields are present.
 */
import type { JsonObject, NewObject } from '#shared/domain/objects.ts';
import { every, wordsWithin } from './cel-every.ts';
import { usesName, withNames } from './cel-names.ts';
import { openApiSchema } from './custom-resource-definition.ts';
import type { CelRule } from './field.ts';
import type { KindDefinition } from './kind-definition.ts';
import { asObject } from './structural-schema.ts';

type Manifest = NewObject & JsonObject;

/** Policy and binding, in the order in which they are applied. Empty if the kind has no rules. */
export function admissionPolicy(kind: KindDefinition): readonly Manifest[] {
  const validations = validationsOf(openApiSchema(kind));
  if (validations.length === 0) return [];
  const { group, version, plural } = kind.resource;
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const name = `${plural}.${group}`;
  const metadata = { name, labels: { 'app.kubernetes.io/part-of': 'millrace' } };
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: [group],
              apiVersions: [version],
              operations: ['CREATE', 'UPDATE'],
              resources: [plural],
            },
          ],
        },
        // Objects from before a rule stay deletable, and their annotations stay editable.
        matchConditions: [
          {
            name: 'spec-changes',
            expression: 'oldObject == null || object.spec != oldObject.spec',
          },
        ],
        validations,
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}

/** The path from the object to the value that a rule is about. */
interface Place {
  /** CEL for the value, in the innermost comprehension. */
  readonly value: string;
  /** CEL that is true if the value is present. Undefined: it always is. */
  readonly guard?: string;
  /** For people, as `spec.flows[].name`. */
  readonly path: string;
  /** The enclosing comprehensions, the outermost first. */
  readonly loops: readonly Loop[];
}

interface Loop {
  readonly list: string;
  readonly guard?: string;
  readonly item: string;
}

/** Rules about a list come first: the other rules look items up by their unique members. */
function validationsOf(schema: JsonObject): readonly JsonObject[] {
  const found = [...rulesBelow(schema, { value: 'object', path: '', loops: [] })];
  return [
    ...found.flatMap(({ keys, place }) => (keys === undefined ? [] : [uniqueness(keys, place)])),
    ...found.flatMap(({ rules, place }) => rules.map((rule) => validation(rule, place))),
  ];
}

interface Ruled {
  readonly rules: readonly CelRule[];
  readonly keys: readonly string[] | undefined;
  readonly place: Place;
}

/** Depth first. */
function* rulesBelow(schema: JsonObject, place: Place): Generator<Ruled> {
  yield {
    rules: (schema['x-millrace-rules'] ?? []) as unknown as readonly CelRule[],
    keys: schema['x-millrace-unique'] as readonly string[] | undefined,
    place,
  };
  const required = (schema['required'] ?? []) as readonly string[];
  for (const [name, member] of Object.entries(asObject(schema['properties'] ?? {}))) {
    yield* rulesBelow(asObject(member), memberOf(place, name, required.includes(name)));
  }
  if (schema['items'] !== undefined) yield* rulesBelow(asObject(schema['items']), itemOf(place));
}

function memberOf(place: Place, name: string, isRequired: boolean): Place {
  const value = `${place.value}.${name}`;
  const path = place.path === '' ? name : `${place.path}.${name}`;
  if (isRequired) return { ...place, value, path };
  const guards = [...(place.guard === undefined ? [] : [place.guard]), `has(${value})`];
  return { ...place, value, path, guard: guards.join(' && ') };
}

function itemOf({ value, guard, path, loops }: Place): Place {
  const item = `item${loops.length}`;
  const loop = { list: value, item, ...(guard === undefined ? {} : { guard }) };
  return { value: item, path: `${path}[]`, loops: [...loops, loop] };
}

/**
 * Comparing each item with each other names the duplicates. A longer list is turned into a map, at a
 * cost of one unit per item. A duplicate key makes that fail, and the API server reports the key.
 */
function uniqueness(keys: readonly string[], place: Place): JsonObject {
  const key = keys.length === 0 ? 'item' : keys.map((name) => `item.${name}`).join(" + ' ' + ");
  const most = place.loops.length === 0 ? mostCompared : mostComparedEach;
  const once = '!(false in names.transformList(at, name, names.indexOf(name) == at))';
  const again = 'names.transformList(at, name, names.indexOf(name) != at, name)[0]';
  const bind = (body: string): string =>
    keys.length === 0
      ? withNames(body, { names: 'self' })
      : `[self.map(item, ${key})].map(names, ${body})[0]`;
  const rule =
    `size(self) <= ${most} ? ${bind(once)}` +
    ` : size(self.transformMapEntry(at, item, {${key}: at})) == size(self)`;
  const message = `${keys.length === 0 ? '' : `${keys.join(' and ')} `}must be unique`;
  // The API server evaluates a message even if the rule holds.
  const messageExpression =
    `size(self) <= ${most} ? ${bind(`"\\"" + ${again} + "\\" is there twice"`)}` +
    ` : ${JSON.stringify(message)}`;
  return validation({ rule, message, messageExpression }, place);
}

/** A call may cost 1,000,000 units, and each pair of items costs one. */
const mostCompared = 512;
/** For nested lists, over all items of the outer list together. */
const mostComparedEach = 32;

/** The rule for every value at the place. The message is that of the first violation. */
function validation(rule: CelRule, place: Place): JsonObject {
  const where = place.path === '' ? '' : `${place.path}: `;
  const message = `${where}${rule.message}`;
  const isOfAChange = usesName(rule.rule, 'oldSelf');
  const holds = holdsAt(place, rule.rule);
  return {
    // A rule about a change holds if there is no old object.
    expression: isOfAChange ? `oldObject == null || (${holds})` : holds,
    message,
    ...(rule.messageExpression === undefined
      ? {}
      : {
          messageExpression: messageAt(place, rule.rule, {
            where,
            message,
            words: rule.messageExpression,
          }),
        }),
    reason: 'Invalid',
  };
}

/** Rules about list items are not evaluated again while the list is unchanged. */
function holdsAt({ value, guard, loops }: Place, rule: string): string {
  let body = about(value, rule);
  let passing = guard;
  for (const { list, item, guard: ofList } of loops.toReversed()) {
    body = every(list, item, { guard: passing, body });
    passing = ofList;
  }
  if (passing !== undefined) return `!(${passing}) || (${body})`;
  const [outermost] = loops;
  if (outermost === undefined) return body;
  const before = outermost.list.replace('object', 'oldObject');
  return `(oldObject != null && ${outermost.list} == ${before}) || ${body}`;
}

interface Words {
  readonly where: string;
  readonly message: string;
  /** CEL about `self`. */
  readonly words: string;
}

/**
 * In lists: the message of the first item that breaks the rule. The search skips items without a
 * message.
 */
function messageAt({ value, guard, loops }: Place, rule: string, message: Words): string {
  const where = message.where === '' ? '' : `${JSON.stringify(message.where)} + `;
  const words = `${where}(${about(value, message.words)})`;
  const [outermost] = loops;
  if (outermost === undefined) return words;
  const isBroken = `!(${about(value, rule)})`;
  let passing: string | undefined = guard === undefined ? isBroken : `${guard} && ${isBroken}`;
  let found = words;
  for (const { list, item, guard: ofList } of loops.toReversed()) {
    const isOuter = found !== words;
    found = `${list}.map(${item}, ${passing === undefined ? '' : `${passing}, `}${found})`;
    if (isOuter) found += '.filter(told, size(told) > 0)';
    passing = ofList;
  }
  return wordsWithin(outermost.list, `${found}${'[0]'.repeat(loops.length)}`, message.message);
}

/** The rule as CEL about the object. A rule about a change stands at the object itself. */
function about(value: string, rule: string): string {
  return withNames(rule, { self: value, oldSelf: 'oldObject' });
}
