/**
 * Outbound CloudEvents over HTTP: binary mode through the official SDK. Three faults of its writer are corrected
 * here. It does not percent-encode, it adds a time and a content type of its own, and it treats the id as
 * optional.
 */
import { CloudEvent as SdkEvent, HTTP } from 'cloudevents';
import { setOwnMember } from '#shared/domain/own-member.ts';
import type { CloudEvent } from './cloud-event.ts';
import { encodeHeaderValue } from './header-value.ts';
import { malformed } from './malformed.ts';

export interface BinaryMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Throws MR_EVENT_MALFORMED for an invalid attribute, or an extension name of more than 20 characters. */
export function toBinaryMessage(event: CloudEvent): BinaryMessage {
  const message = HTTP.binary(sdkEvent(event));
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (name === 'ce-time' && event.time === undefined) continue;
    if (name === 'content-type' && event.datacontenttype === undefined) continue;
    if (value !== undefined) setOwnMember(headers, name, headerValue(name, value));
  }
  return { headers, body: bodyOf(event) };
}

function sdkEvent(event: CloudEvent): SdkEvent<unknown> {
  if (event.id === '') malformed('id is empty');
  const long = Object.keys(event.extensions).find((name) => name.length > 20);
  if (long !== undefined) malformed(`extension name "${long}" is longer than 20 characters`);
  const { extensions, ...attributes } = event;
  try {
    // Without the data, which the SDK would only convert into text.
    return new SdkEvent({ ...extensions, ...attributes, data: undefined });
  } catch (cause) {
    return malformed(cause instanceof Error ? cause.message : 'unknown', cause);
  }
}

function headerValue(name: string, value: string | string[]): string {
  const text = String(value);
  return name.startsWith('ce-') ? encodeHeaderValue(text) : text;
}

function bodyOf({ data }: CloudEvent): string | Uint8Array {
  if (data === undefined) return '';
  return data instanceof Uint8Array ? data : JSON.stringify(data);
}
