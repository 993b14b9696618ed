import { isObject } from '#shared/domain/json-value.ts';
import type { Json } from '#shared/domain/objects.ts';
import { parseAttributes, requireAttributeName, type Attributes } from './attributes.ts';
import type { CloudEvent } from './cloud-event.ts';
import { malformed } from './malformed.ts';
import { bodyFormatOf, parseMediaType } from './media-type.ts';
import { parseStrictJson } from './strict-json.ts';

/** An event in the JSON event format 1.0.2. Throws MR_EVENT_MALFORMED. */
export function parseStructured(event: Json): CloudEvent {
  if (!isObject(event)) return malformed('a structured event is a JSON object');
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(event)) {
    if (name === 'data' || name === 'data_base64') continue;
    requireAttributeName(name);
    // Section 2.2: a null attribute is the same as an absent one.
    if (value !== null && value !== undefined) values.set(name, attributeText(name, value));
  }
  const attributes = parseAttributes(values);
  return { ...attributes, ...structuredData(event, attributes) };
}

/** Section 2.2: attributes are strings, booleans or 32-bit integers in JSON. */
function attributeText(name: string, value: Json): string {
  if (typeof value === 'string') return value;
  const textOnly = ['id', 'source', 'type', 'specversion', 'time', 'subject', 'dataschema'];
  if (textOnly.includes(name)) return malformed(`${name} is not a string`);
  if (typeof value === 'boolean') return String(value);
  // Bitwise or keeps exactly the integers of 32 bits.
  if (typeof value === 'number' && (value | 0) === value) return String(value);
  return malformed(`${name} is neither a string, a boolean nor a 32-bit integer`);
}

function structuredData(
  event: { readonly [key: string]: Json | undefined },
  attributes: Attributes,
): Pick<CloudEvent, 'data'> {
  const { data, data_base64: encoded } = event;
  if (encoded === undefined || encoded === null) return data === undefined ? {} : { data };
  if (data !== undefined) malformed('data and data_base64 are both given');
  const bytes = decodeBase64(encoded);
  const type = parseMediaType(attributes.datacontenttype ?? 'application/json');
  return { data: bodyFormatOf(type) === 'json' ? parseStrictJson(bytes, 'data_base64') : bytes };
}

function decodeBase64(text: Json): Uint8Array {
  const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  if (typeof text !== 'string' || !base64.test(text)) return malformed('data_base64 is not base64');
  return Buffer.from(text, 'base64');
}
