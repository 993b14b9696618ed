/**
 * The rules of a kind as a ValidatingAdmissionPolicy (KEP-3488, v1 since Kubernetes 1.30) with its
 * binding. In the definition they would be evaluated at every status write, and the number of items
 * would be bounded by what they might cost; a policy is asked about writes of the object alone.
 *
 * The API server has judged the object by its schema before it asks: what is required is there.
 */
import type { JsonObject, NewObject } from '#shared/domain/objects.ts';
import { every, wordsWithin } from './cel-every.ts';
import { usesName, withNames } from './cel-names.ts';
import { openApiSchema } from './custom-resource-definition.ts';
import type { CelRule } from './field.ts';
import type { KindDefinition } from './kind-definition.ts';
import { asObject } from './structural-schema.ts';

type Manifest = NewObject & JsonObject;

/** Policy and binding, in the order in which they are applied; none when the kind has no rules. */
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
        // What was stored before a rule came stays deletable, and its annotations stay editable.
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

/** What stands between the object and the value that a rule is about. */
interface Place {
  /** CEL for the value, in the innermost comprehension. */
  readonly value: string;
  /** CEL that is true when the value is there; undefined: it is always. */
  readonly guard?: string;
  /** For people, as `spec.flows[].name`. */
  readonly path: string;
  /** The comprehensions around it, the outermost first. */
  readonly loops: readonly Loop[];
}

interface Loop {
  readonly list: string;
  readonly guard?: string;
  readonly item: string;
}

/** What is said of a list comes first: the other rules look items up by what has to be unique. */
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
 * Comparing each with each names what is there twice. A longer list is made a map, which costs one unit
 * for each item: with a key that is there already it fails, and the API server says with which.
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
  // The API server evaluates a message also where the rule holds.
  const messageExpression =
    `size(self) <= ${most} ? ${bind(`"\\"" + ${again} + "\\" is there twice"`)}` +
    ` : ${JSON.stringify(message)}`;
  return validation({ rule, message, messageExpression }, place);
}

/** A call may cost 1,000,000 units, and one for each pair of items is spent. */
const mostCompared = 512;
/** Of the lists of all items of a list together. */
const mostComparedEach = 32;

/** The rule for every value at the place; the message is that of the first one that breaks it. */
function validation(rule: CelRule, place: Place): JsonObject {
  const where = place.path === '' ? '' : `${place.path}: `;
  const message = `${where}${rule.message}`;
  const isOfAChange = usesName(rule.rule, 'oldSelf');
  const holds = holdsAt(place, rule.rule);
  return {
    // A rule about a change holds when there is nothing from before.
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

/** What is said of the items of a list is not asked again while the list stays as it is. */
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

/** In lists: of the first item that breaks the rule, on the way through those that have none. */
function messageAt({ value, guard, loops }: Place, rule: string, told: Words): string {
  const where = told.where === '' ? '' : `${JSON.stringify(told.where)} + `;
  const words = `${where}(${about(value, told.words)})`;
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
  return wordsWithin(outermost.list, `${found}${'[0]'.repeat(loops.length)}`, told.message);
}

/** The rule as CEL about the object; a place that has a rule about a change is the object itself. */
function about(value: string, rule: string): string {
  return withNames(rule, { self: value, oldSelf: 'oldObject' });
}
