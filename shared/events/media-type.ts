/**
 * Parses media types in senders' spellings. The scanner never backtracks. One expression for the
 * whole grammar would try every split of blanks between two separators, twice as many with each.
 */
import { malformed, unsupported } from './malformed.ts';

export type BodyFormat = 'json' | 'bytes';

export interface MediaType {
  /** `type/subtype` in lower case, without parameters. */
  readonly essence: string;
  /** In lower case; absent if none is given. */
  readonly charset?: string;
}

type Refuse = (detail: string) => never;

/**
 * RFC 9110 section 8.3.1. Throws MR_EVENT_MALFORMED if it is not a media type, or has two charsets,
 * because sender and reader might each use another one.
 */
export function parseMediaType(text: string, refuseWith: Refuse = malformed): MediaType {
  const scanner = new Scanner(text);
  const refuse = (): never =>
    refuseWith(`${JSON.stringify(text.slice(0, maxShownLength))} is not a media type`);
  scanner.take(blanks);
  const essence = scanner.take(typeAndSubtype) ?? refuse();
  let charset: string | undefined;
  while (scanner.take(separator) !== undefined) {
    const name = scanner.take(token);
    // The grammar allows empty parameters between separators.
    if (name === undefined) continue;
    if (scanner.take(equals) === undefined) refuse();
    const value = scanner.take(token) ?? unquoted(scanner.take(quotedString)) ?? refuse();
    if (name.toLowerCase() !== 'charset') continue;
    if (charset !== undefined) refuse();
    charset = value.toLowerCase();
  }
  scanner.take(blanks);
  if (!scanner.isAtEnd) refuse();
  return { essence: essence.toLowerCase(), ...(charset === undefined ? {} : { charset }) };
}

/** JSON when the subtype is json or ends in +json (JSON event format 1.0.2, section 3.1). */
export function bodyFormatOf(type: MediaType): BodyFormat {
  return /[/+]json$/.test(type.essence) ? 'json' : 'bytes';
}

/** Refuses JSON in an encoding other than UTF-8 (RFC 8259 section 8.1), answered 415. */
export function requireUtf8(type: MediaType): void {
  if (type.charset !== undefined && !/^(utf-?8|us-ascii)$/.test(type.charset)) {
    unsupported(`JSON is UTF-8, not ${type.charset.slice(0, maxShownLength)}`);
  }
}

/** Longest quoted text in a reason, in characters. */
const maxShownLength = 100;

// Sticky: each matches at the scanner's position or not at all.
const blanks = /[\t ]*/y;
const token = /[A-Za-z0-9!#$%&'*+.^_`|~-]+/y;
const typeAndSubtype = /[A-Za-z0-9!#$%&'*+.^_`|~-]+\/[A-Za-z0-9!#$%&'*+.^_`|~-]+/y;
const separator = /[\t ]*;[\t ]*/y;
const equals = /=/y;
const quotedString = /"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"/y;

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** Consumes and returns the match at this position; undefined if there is none. */
  take(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    const taken = expression.exec(this.#text)?.[0];
    this.#at += taken?.length ?? 0;
    return taken;
  }
}

function unquoted(text: string | undefined): string | undefined {
  return text?.slice(1, -1).replace(/\\(.)/g, '$1');
}
