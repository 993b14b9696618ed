/** Resources inside a resource (apiextensions-apiserver schema/objectmeta). */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { StatusCause } from '../apimachinery/status-error.ts';
import { invalid, required } from '../apimachinery/cause.ts';
import { child, index, key } from './field-path.ts';
import { propertyOf, valuesOf } from './member-schema.ts';
import type { Schema } from './schema.ts';

export type EmbeddedCheck = (value: Json, path: string, causes: StatusCause[]) => void;

/** Undefined: the schema embeds no resource. */
export function embeddedCheck(schema: Schema): EmbeddedCheck | undefined {
  const self = schema['x-kubernetes-embedded-resource'] === true ? checkResource : undefined;
  const items = schema.items && embeddedCheck(schema.items);
  const values = valuesOf(schema);
  const ofValues = values && embeddedCheck(values);
  const fields: [string, EmbeddedCheck][] = [];
  for (const name in schema.properties) {
    const property = propertyOf(schema, name);
    const check = property && embeddedCheck(property);
    if (check) fields.push([name, check]);
  }
  if (!self && !items && !ofValues && fields.length === 0) return undefined;
  return (value, path, causes) => {
    if (isList(value) && items) {
      value.forEach((item, at) => items(item, index(path, at), causes));
    } else if (isObject(value)) {
      self?.(value, path, causes);
      for (const [name, check] of fields) {
        const item = value[name];
        if (item !== undefined) check(item, child(path, name), causes);
      }
      if (ofValues) {
        for (const name in value) {
          const item = value[name];
          if (item !== undefined && !propertyOf(schema, name))
            ofValues(item, key(path, name), causes);
        }
      }
    }
  };
}

function checkResource(object: JsonObject, path: string, causes: StatusCause[]): void {
  for (const name of ['apiVersion', 'kind']) {
    if (object[name] === undefined) causes.push(required(child(path, name)));
  }
  checkText(object, 'apiVersion', path, causes, apiVersionFault);
  checkText(object, 'kind', path, causes, kindFault);
  const { metadata } = object;
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) {
    const type = isList(metadata) ? 'array' : typeof metadata;
    const why = `json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta`;
    causes.push(invalid(child(path, 'metadata'), metadata, why));
  }
}

function checkText(
  object: JsonObject,
  name: string,
  path: string,
  causes: StatusCause[],
  faultOf: (text: string) => string | undefined,
): void {
  const value = object[name];
  if (value === undefined) return;
  const fault = typeof value === 'string' ? textFault(value, faultOf) : 'must be a string';
  if (fault !== undefined) causes.push(invalid(child(path, name), value, fault));
}

function textFault(
  text: string,
  faultOf: (text: string) => string | undefined,
): string | undefined {
  return text === '' ? 'must not be empty' : faultOf(text);
}

function apiVersionFault(text: string): string | undefined {
  return text.split('/').length > 2 ? `unexpected GroupVersion string: ${text}` : undefined;
}

function kindFault(text: string): string | undefined {
  if (text.length <= 63 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text.toLowerCase()))
    return undefined;
  return `may have mixed case, but should otherwise match: ${
    text.length > 63 ? 'must be no more than 63 bytes' : dns1035
  }`;
}

const dns1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
