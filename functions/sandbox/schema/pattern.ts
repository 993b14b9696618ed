/**
 * Go's regular expressions (RE2 syntax, https://github.com/google/re2/wiki/Syntax) in JavaScript.
 * What both read alike is translated; what differs is refused rather than matched wrongly.
 */
import { StatusError } from '../api/status-error.ts';

const posix: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7f',
  blank: '\\t ',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};
const blank = '\\t\\n\\f\\r ';

const compiled = new Map<string, RegExp | string>();

/** Throws StatusError 501 when the sandbox cannot match the pattern as the API server does. */
export function compilePattern(pattern: string, flags = ''): RegExp {
  const expression = tryPattern(pattern, flags);
  if (typeof expression !== 'string') return expression;
  const text = `the sandbox does not simulate the regular expression ${pattern}: ${expression}`;
  throw new StatusError(501, 'NotImplemented', text);
}

/** The expression, or why there is none. Kept, since a pattern is compiled by every rule anew. */
export function tryPattern(pattern: string, flags = ''): RegExp | string {
  const key = `${flags}/${pattern}`;
  let found = compiled.get(key);
  if (found === undefined) {
    found = compileNew(pattern, flags);
    if (compiled.size > 1000) compiled.clear();
    compiled.set(key, found);
  }
  if (typeof found !== 'string') found.lastIndex = 0;
  return found;
}

function compileNew(pattern: string, flags: string): RegExp | string {
  try {
    const { source, modifiers } = new Translation(pattern).translate();
    return new RegExp(source, `u${modifiers}${flags}`);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

class Translation {
  readonly #text: string;
  #at = 0;
  #dotMatchesAll = false;
  #source = '';

  constructor(text: string) {
    this.#text = text;
  }

  translate(): { readonly source: string; readonly modifiers: string } {
    const [whole = '', letters = ''] = /^\(\?([a-zA-Z]+)\)/.exec(this.#text) ?? [];
    if (/[^is]/.test(letters)) throw new Error(`flags ${letters}`);
    this.#dotMatchesAll = letters.includes('s');
    this.#at = whole.length;
    while (this.#at < this.#text.length) this.#source += this.#next();
    return { source: this.#source, modifiers: letters.includes('i') ? 'i' : '' };
  }

  #next(): string {
    const rest = this.#text.slice(this.#at);
    const quoted = /^\\Q(.*?)(?:\\E|$)/s.exec(rest);
    if (quoted) return this.#take(quoted[0], quote(quoted[1] ?? ''));
    if (rest.startsWith('\\')) return this.#escape(rest, false);
    if (rest.startsWith('[')) return this.#characterClass(rest);
    if (rest.startsWith('(')) return this.#group(rest);
    if (rest.startsWith('.')) return this.#take('.', this.#dotMatchesAll ? '[^]' : '[^\\n]');
    const repeat = /^\{(\d+)(?:,(\d*))?\}/.exec(rest);
    if (repeat) {
      if ([repeat[1], repeat[2]].some((count) => Number(count ?? 0) > 1000)) {
        throw new Error('a repetition of more than 1000');
      }
      return this.#take(repeat[0]);
    }
    const [character = ''] = rest;
    return this.#take(character, /[{}\]]/.test(character) ? `\\${character}` : character);
  }

  #take(consumed: string, source = consumed): string {
    this.#at += consumed.length;
    return source;
  }

  #group(rest: string): string {
    const named = /^\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>/.exec(rest);
    if (named) return this.#take(named[0], `(?<${named[1] ?? ''}>`);
    const insensitive = /^\(\?i:/.exec(rest);
    if (insensitive) return this.#take(insensitive[0]);
    if (rest.startsWith('(?:') || !rest.startsWith('(?')) {
      return this.#take(rest.startsWith('(?:') ? '(?:' : '(');
    }
    throw new Error(`the group ${rest.slice(0, 4)}`);
  }

  #escape(rest: string, inClass: boolean): string {
    const property = /^\\([pP])(?:([A-Z])|\{(\^?)([A-Za-z_]+)\})/.exec(rest);
    if (property) {
      const [all, letter = '', short, not, long = ''] = property;
      const negated = (letter === 'P') !== (not === '^');
      const name = short ?? (/^[A-Z][a-z]?$/.test(long) ? long : `Script=${long}`);
      return this.#take(all, `\\${negated ? 'P' : 'p'}{${name}}`);
    }
    const hex = /^\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/.exec(rest);
    if (hex) return this.#take(hex[0], `\\u{${hex[1] ?? hex[2] ?? ''}}`);
    const octal = /^\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(rest);
    if (octal) {
      return this.#take(octal[0], `\\u{${Number.parseInt(octal[1] ?? '', 8).toString(16)}}`);
    }
    const both = rest.slice(0, 2);
    const letter = both.slice(1);
    if (/^[dDwWfnrtv]$/.test(letter)) return this.#take(both);
    if (letter === 'a') return this.#take(both, '\\x07');
    if (letter === 's') return this.#take(both, inClass ? blank : `[${blank}]`);
    if (letter === 'S' && !inClass) return this.#take(both, `[^${blank}]`);
    if (!inClass && /^[bB]$/.test(letter)) return this.#take(both);
    if (!inClass && letter === 'A') return this.#take(both, '^');
    if (!inClass && letter === 'z') return this.#take(both, '$');
    if (/^[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]$/.test(letter))
      return this.#take(both, quote(letter));
    throw new Error(`the escape ${both}`);
  }

  #characterClass(start: string): string {
    let source = start.startsWith('[^') ? '[^' : '[';
    this.#at += source.length;
    let isFirst = true;
    for (;;) {
      const rest = this.#text.slice(this.#at);
      if (rest === '') throw new Error('a missing ]');
      if (rest.startsWith(']') && !isFirst) return source + this.#take(']');
      source += this.#classPart(rest);
      isFirst = false;
    }
  }

  #classPart(rest: string): string {
    const named = /^\[:(\^?)([a-z]+):\]/.exec(rest);
    if (named) {
      const members = posix[named[2] ?? ''];
      if (members === undefined || named[1] === '^') throw new Error(`the class ${named[0]}`);
      return this.#take(named[0], members);
    }
    if (rest.startsWith('\\')) return this.#escape(rest, true);
    const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
    const isRange =
      character === '-' && !rest.startsWith('-]') && !/[[^]$/.test(this.#text.slice(0, this.#at));
    if (isRange) return this.#take('-');
    return this.#take(character, quote(character));
  }
}

/** The same text as a pattern, inside a class and outside. */
function quote(text: string): string {
  return Array.from(text, (character) =>
    /[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/.test(character)
      ? `\\x${character.charCodeAt(0).toString(16)}`
      : character,
  ).join('');
}
