import type { Json } from '#shared/domain/objects.ts';

/** One CloudEvent 1.0 as it stood on the wire, attributes checked, nothing invented. */
export interface CloudEvent {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  /** RFC 3339, as the sender wrote it; absent when the sender gave none. */
  readonly time?: string;
  readonly subject?: string;
  readonly datacontenttype?: string;
  readonly dataschema?: string;
  /** By name: lower-case letters and digits. Booleans and integers in their canonical text form. */
  readonly extensions: Readonly<Record<string, string>>;
  /** Parsed when the content type is JSON, bytes for any other, absent without a body. */
  readonly data?: Json | Uint8Array;
}
