/**
 * Go's regular expressions (RE2 syntax, https://github.com/google/re2/wiki/Syntax), as the API server uses them. The
 * time grows with the text, and not with the alternatives of the pattern.
 */
import { RE2JS } from 're2js';

export interface Pattern {
  /** Whether it matches somewhere in the text. */
  readonly test: (text: string) => boolean;
}

/** The message of Go's regexp.Compile, for lookaheads, back references and invalid patterns. */
export class PatternFault extends Error {
  override readonly name = 'PatternFault';
}

const compiled = new Map<string, Pattern | PatternFault>();

/** The compiled pattern, or why it is invalid. Cached, because every rule compiles its patterns again. */
export function tryPattern(pattern: string): Pattern | PatternFault {
  let found = compiled.get(pattern);
  if (found === undefined) {
    found = compileNew(pattern);
    if (compiled.size > 1000) compiled.clear();
    compiled.set(pattern, found);
  }
  return found;
}

function compileNew(pattern: string): Pattern | PatternFault {
  try {
    const expression = RE2JS.compile(pattern);
    return { test: (text) => expression.test(text) };
  } catch (error) {
    return new PatternFault(error instanceof Error ? error.message : String(error));
  }
}
