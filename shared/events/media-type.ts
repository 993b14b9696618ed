import { malformed } from './malformed.ts';

export type BodyFormat = 'json' | 'bytes';

export interface MediaType {
  /** `type/subtype` in lower case, without parameters. */
  readonly essence: string;
  /** In lower case; absent when none is named. */
  readonly charset?: string;
}

const token = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
const parameter = `\\s*;\\s*(?:(${token})=(?:(${token})|"((?:[^"\\\\]|\\\\.)*)"))?`;
const mediaType = new RegExp(`^\\s*(${token}/${token})((?:${parameter})*)\\s*$`);

/** RFC 9110 section 8.3.1. Throws MR_EVENT_MALFORMED when it is no media type. */
export function parseMediaType(text: string): MediaType {
  const match = mediaType.exec(text);
  const essence = match?.[1];
  if (essence === undefined) return malformed(`"${text}" is not a media type`);
  const charset = charsetOf(match?.[2] ?? '');
  return { essence: essence.toLowerCase(), ...(charset === undefined ? {} : { charset }) };
}

/** JSON when the subtype is json or ends in +json (JSON event format 1.0.2, section 3.1). */
export function bodyFormatOf(type: MediaType): BodyFormat {
  return /[/+]json$/.test(type.essence) ? 'json' : 'bytes';
}

/** Throws MR_EVENT_MALFORMED for JSON in an encoding other than UTF-8 (RFC 8259 section 8.1). */
export function requireUtf8(type: MediaType): void {
  if (type.charset !== undefined && !/^(utf-?8|us-ascii)$/.test(type.charset)) {
    malformed(`JSON is UTF-8, not ${type.charset}`);
  }
}

function charsetOf(parameters: string): string | undefined {
  for (const [, name, plain, quoted] of parameters.matchAll(new RegExp(parameter, 'g'))) {
    if (name?.toLowerCase() === 'charset') return (plain ?? quoted ?? '').toLowerCase();
  }
  return undefined;
}
