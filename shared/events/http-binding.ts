/**
 * Inbound CloudEvents over HTTP (HTTP binding 1.0.2, JSON event format 1.0.2), as strict as the
 * specification. The official SDK reads loosely (it invents ids, replaces times, leaves JSON as text,
 * refuses `charset=UTF-8`). So Millrace has a reader of its own, and tests compare the two.
 *
 * binding-1 Nothing is invented: a missing attribute is an error or stays absent.
 * binding-2 One request is one event. A batch is refused, because none was requested (section 3.3).
 * binding-3 Every refusal is MR_EVENT_MALFORMED with a reason for the sender.
 */
import { parseAttributes, requireAttributeName } from './attributes.ts';
import type { CloudEvent } from './cloud-event.ts';
import { decodeHeaderValue } from './header-value.ts';
import { malformed, unsupported } from './malformed.ts';
import { bodyFormatOf, parseMediaType, requireUtf8, type MediaType } from './media-type.ts';
import { parseStrictJson } from './strict-json.ts';
import { parseStructured } from './structured-event.ts';

/**
 * Reads one event in binary or structured mode. `rawHeaders` is Node's flat list of names and values,
 * which alone shows a repeated header. Throws MR_EVENT_MALFORMED. `fields.status` is 415 for a bad
 * content type (none, a batch, not UTF-8, an event format other than JSON), else 400.
 */
export function readHttpEvent(rawHeaders: readonly string[], body: Uint8Array): CloudEvent {
  const { contentType, attributes } = readHeaders(rawHeaders);
  const type = contentType === undefined ? undefined : parseMediaType(contentType, unsupported);
  if (type?.essence.startsWith('application/cloudevents')) {
    requireJsonEventFormat(type);
    return parseStructured(parseStrictJson(body, 'the event'));
  }
  return binaryEvent(attributes, contentType, type, body);
}

function readHeaders(rawHeaders: readonly string[]): {
  readonly contentType: string | undefined;
  readonly attributes: Map<string, string>;
} {
  let contentType: string | undefined;
  const attributes = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const header = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    if (header === 'content-type') contentType = once(contentType, header, value);
    else if (header.startsWith('ce-')) {
      const name = header.slice(3);
      attributes.set(name, once(attributes.get(name), header, value));
    }
  }
  return { contentType, attributes };
}

function once(previous: string | undefined, header: string, value: string): string {
  return previous === undefined ? value : malformed(`header ${header} is given twice`);
}

function requireJsonEventFormat(type: MediaType): void {
  if (type.essence.startsWith('application/cloudevents-batch')) {
    unsupported('one request carries one event; batches are not taken');
  }
  if (type.essence !== 'application/cloudevents+json') {
    unsupported(`the event format of ${type.essence} is not taken, only JSON`);
  }
  requireUtf8(type);
}

function binaryEvent(
  headers: ReadonlyMap<string, string>,
  contentType: string | undefined,
  type: MediaType | undefined,
  body: Uint8Array,
): CloudEvent {
  if (headers.size === 0) {
    malformed('no ce- headers and no content type application/cloudevents+json');
  }
  const values = new Map<string, string>();
  for (const [name, value] of headers) {
    requireAttributeName(name);
    values.set(name, decodeHeaderValue(`ce-${name}`, value));
  }
  if (values.has('datacontenttype')) malformed('datacontenttype travels as content-type');
  if (contentType !== undefined) values.set('datacontenttype', contentType);
  return { ...parseAttributes(values), ...binaryData(type, body) };
}

function binaryData(type: MediaType | undefined, body: Uint8Array): Pick<CloudEvent, 'data'> {
  if (body.length === 0) return {};
  if (type === undefined || bodyFormatOf(type) === 'bytes') return { data: body };
  requireUtf8(type);
  return { data: parseStrictJson(body, 'the data') };
}
