/**
 * Checks an applied object against its schema: no undeclared fields, values of the right kind, no duplicate list items.
 * Rule and texts: typed/validate.go of structured-merge-diff.
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { pathText } from './field-set.ts';
import { type FieldType, kindOf, type ListType, type MapType } from './field-type.ts';
import { goPrint, goType } from '../apimachinery/go-text.ts';
import { itemName, UnnamedItem } from './list-key.ts';

/** All faults in one text. Undefined when there is none. */
export function faultsOf(type: FieldType, object: JsonObject): string | undefined {
  const faults: string[] = [];
  check(type, object, '', faults);
  if (faults.length < 2) return faults[0];
  return ['errors:', ...faults.map((fault) => `  ${fault}`)].join('\n');
}

function check(type: FieldType, value: Json, path: string, faults: string[]): void {
  const kind = kindOf(type, value);
  if (value === null) return;
  if (kind === 'map' && type.map) {
    if (isObject(value)) checkMap(type.map, value, path, faults);
    else faults.push(at(path, `expected map, got ${goValue(value)}`));
  } else if (kind === 'list' && type.list) {
    if (isList(value)) checkList(type.list, value, path, faults);
    else faults.push(at(path, `expected list, got ${goValue(value)}`));
  } else {
    const fault = scalarFault(type, value);
    if (fault !== undefined) faults.push(at(path, fault));
  }
}

function checkMap(type: MapType, map: JsonObject, path: string, faults: string[]): void {
  for (const [name, value] of Object.entries(map)) {
    if (value === undefined) continue;
    const member = type.typeOf(name);
    const below = `${path}.${name}`;
    if (member === undefined) {
      // Only one is reported, because upstream stops with the map there.
      faults.push(at(below, 'field not declared in schema'));
      return;
    }
    check(member, value, below, faults);
  }
}

function checkList(type: ListType, list: readonly Json[], path: string, faults: string[]): void {
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    let element = `[${index}]`;
    if (type.relation !== 'atomic') {
      const name = nameOrFault(type, item);
      if (name instanceof UnnamedItem) {
        faults.push(at(path, `element ${index}: ${name.message}`));
        return;
      }
      element = pathText([name]);
      if (seen.has(name)) faults.push(at(path, `duplicate entries for key ${element}`));
      seen.add(name);
    }
    check(type.item, item, `${path}${element}`, faults);
  }
}

function nameOrFault(type: ListType, item: Json): string | UnnamedItem {
  try {
    return itemName(type, item);
  } catch (error) {
    if (error instanceof UnnamedItem) return error;
    throw error;
  }
}

function scalarFault({ scalar }: FieldType, value: Json): string | undefined {
  switch (scalar) {
    case 'number':
      return typeof value === 'number'
        ? undefined
        : `expected numeric (int or float), got ${goType(value)}`;
    case 'string':
      return typeof value === 'string' ? undefined : `expected string, got ${goSyntax(value)}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${goValue(value)}`;
    case 'any':
      return typeof value === 'object' ? `expected any scalar, got ${goValue(value)}` : undefined;
    default:
      return undefined;
  }
}

const at = (path: string, message: string): string =>
  path === '' ? message : `${path}: ${message}`;

/** `%v` of upstream's value wrapper. */
const goValue = (value: Json): string => `&{${goPrint(value)}}`;

/** `%#v` of upstream's value wrapper. */
const goSyntax = (value: Json): string => `&value.valueUnstructured{Value:${goLiteral(value)}}`;

function goLiteral(value: Json | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (isList(value)) return `[]interface {}{${value.map(goLiteral).join(', ')}}`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `"${key}":${goLiteral(member)}`);
  return `map[string]interface {}{${members.sort().join(', ')}}`;
}
