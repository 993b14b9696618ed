/**
 * CloudEvents attribute values in HTTP headers (HTTP binding 1.0.2, section 3.1.3.2). Space, double quote, percent
 * and everything outside U+0021..U+007E are percent-encoded as UTF-8.
 */
import { malformed } from './malformed.ts';

/** Decodes once, even characters that needed no encoding. Throws MR_EVENT_MALFORMED on invalid UTF-8. */
export function decodeHeaderValue(name: string, value: string): string {
  if (!/^[\t\x20-\x7e]*$/.test(value)) {
    malformed(`header ${name} has a byte outside ASCII: percent-encode it`);
  }
  const text = unquoted(name, value);
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    return malformed(`header ${name} is not percent-encoded UTF-8`, cause);
  }
}

export function encodeHeaderValue(value: string): string {
  return value.replace(/[^\x21\x23\x24\x26-\x7e]+/gu, encodeURIComponent);
}

/**
 * RFC 7230 section 3.2.6: a decoder takes the content of a quoted string. A sender that encodes writes no quotes.
 */
function unquoted(name: string, value: string): string {
  if (!value.includes('"')) return value;
  if (!/^(?:[^"]|"(?:[^"\\]|\\.)*")*$/.test(value))
    malformed(`header ${name} has a quote that does not end`);
  return value.replace(/"((?:[^"\\]|\\.)*)"/g, (_, quoted: string) =>
    quoted.replace(/\\(.)/g, '$1'),
  );
}
