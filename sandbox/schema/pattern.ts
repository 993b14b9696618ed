/**
 * Go's regular expressions (RE2 syntax, https://github.com/google/re2/wiki/Syntax): what the API
 * server matches with, in a time that grows with the text and not with what a pattern tries.
 */
import { RE2JS } from 're2js';

export interface Pattern {
  /** Whether it matches somewhere in the text. */
  readonly test: (text: string) => boolean;
}

/** As Go's regexp.Compile words it: for lookaheads, back references, and what is no pattern at all. */
export class PatternFault extends Error {
  override readonly name = 'PatternFault';
}

const compiled = new Map<string, Pattern | PatternFault>();

/** The pattern, or why it is none. Kept, since a pattern is compiled by every rule anew. */
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
