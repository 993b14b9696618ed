import type { Json } from '#shared/domain/objects.ts';

/** One CloudEvent 1.0 as received: attributes are checked, and nothing is added. */
export interface CloudEvent {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  /** RFC 3339, unchanged from the sender. Absent if the sender gave none. */
  readonly time?: string;
  readonly subject?: string;
  readonly datacontenttype?: string;
  readonly dataschema?: string;
  /**
   * By name in lower-case letters and digits. Booleans and integers are in their canonical text
   * form.
   */
  readonly extensions: Readonly<Record<string, string>>;
  /** Parsed if the content type is JSON, bytes for any other, absent without a body. */
  readonly data?: Json | Uint8Array;
}
