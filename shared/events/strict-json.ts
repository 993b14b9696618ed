import type { Json } from '#shared/domain/objects.ts';
import { malformed } from './malformed.ts';

type Refuse = (detail: string, cause?: unknown) => never;

/** Deeper nesting is refused; Kubernetes objects stay well below it. */
const maxDepth = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses JSON in UTF-8. Refuses (by default with MR_EVENT_MALFORMED) invalid UTF-8, invalid JSON and nesting
 * deeper than 64. It also refuses a member that is given twice, because readers differ in which one they take
 * (RFC 7493 section 2.3). A member `__proto__` is refused because it would reach the prototype when copied.
 * `what` names the text in the reason.
 */
export function parseStrictJson(bytes: Uint8Array, what: string, refuse: Refuse = malformed): Json {
  const text = decode(bytes, what, refuse);
  const value = parse(text, what, refuse);
  requireStrictness(text, what, refuse);
  return value;
}

function decode(bytes: Uint8Array, what: string, refuse: Refuse): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    return refuse(`${what} is not UTF-8`, cause);
  }
}

function parse(text: string, what: string, refuse: Refuse): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    return refuse(`${what} is not JSON: ${cause instanceof Error ? cause.message : ''}`, cause);
  }
}

/** Scans valid JSON text once from left to right: the parsed value no longer shows a repetition. */
function requireStrictness(text: string, what: string, refuse: Refuse): void {
  /** The members so far of each open object; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let isMemberNext = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charAt(at)) {
      case '{':
      case '[':
        isMemberNext = text[at] === '{';
        open.push(isMemberNext ? new Set() : undefined);
        if (open.length > maxDepth) refuse(`${what} is nested deeper than ${maxDepth} levels`);
        break;
      case '}':
      case ']':
        open.pop();
        isMemberNext = false;
        break;
      case ',':
        isMemberNext = open.at(-1) !== undefined;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (isMemberNext)
          addMember(open.at(-1), text.slice(at, end + 1), (fault) => refuse(`${what} ${fault}`));
        isMemberNext = false;
        at = end;
        break;
      }
      default:
    }
  }
}

/** Position of the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function addMember(
  members: Set<string> | undefined,
  quoted: string,
  refuse: (fault: string) => never,
): void {
  const name = JSON.parse(quoted) as string;
  if (name === '__proto__') refuse('has a member named __proto__');
  if (members?.has(name) === true) refuse(`has the member ${quoted.slice(0, 80)} twice`);
  members?.add(name);
}
