import type { CloudEvent } from './cloud-event.ts';
import type { BinaryMessage } from './binary-message.ts';
import { requireAttributeName } from './attributes.ts';

/** An event in the JSON event format 1.0.2. Throws MR_EVENT_MALFORMED for an invalid name. */
export function toStructuredMessage(event: CloudEvent): BinaryMessage & { readonly body: string } {
  const { extensions, data, ...attributes } = event;
  Object.keys(extensions).forEach(requireAttributeName);
  const content =
    data instanceof Uint8Array ? { data_base64: Buffer.from(data).toString('base64') } : { data };
  return {
    headers: { 'content-type': 'application/cloudevents+json' },
    body: JSON.stringify({ specversion: '1.0', ...extensions, ...attributes, ...content }),
  };
}
