/**
 * Words and separators of a plain shell script (POSIX Shell Command Language, 2.2 and 2.3): quotes, variables, `;`,
 * `&&`, `||`, comments and redirections. A script with other syntax is not plain.
 */

export type ShellToken =
  | { readonly kind: 'word'; readonly text: string; readonly isQuoted: boolean }
  | { readonly kind: 'separator'; readonly text: ';' | '&&' | '||' }
  | { readonly kind: 'redirection'; readonly toFile: boolean };

const refused = /[|&(){}`<!]/;
const keywords = new Set(['if', 'for', 'while', 'until', 'case', 'function', 'do', 'then', 'trap']);

export type Variables = ReadonlyMap<string, string>;

/** Undefined: not a plain script. `variables` is read word by word, so that later words see earlier assignments. */
export function* shellTokens(
  script: string,
  variables: Variables,
): Generator<ShellToken | undefined> {
  let position = 0;
  while (position < script.length) {
    const rest = script.slice(position);
    const skipped = /^(?:[ \t]+|\\\n|#[^\n]*)/.exec(rest);
    const separator = /^(?:&&|\|\||[;\n])+/.exec(rest);
    const redirection = /^\d?>>?\s*(&\d|[^\s;&|]+)/.exec(rest);
    if (skipped !== null) {
      position += skipped[0].length;
    } else if (separator !== null) {
      position += separator[0].length;
      yield { kind: 'separator', text: separatorOf(separator[0]) };
    } else if (redirection !== null) {
      position += redirection[0].length;
      const toFile = !/^\d?>>?\s*(&\d|\/dev\/std(out|err))/.test(redirection[0]);
      yield { kind: 'redirection', toFile: toFile && !redirection[0].startsWith('2') };
    } else {
      const word = readWord(rest, variables);
      if (word === undefined) {
        yield undefined;
        return;
      }
      position += word.length;
      yield { kind: 'word', text: word.text, isQuoted: word.isQuoted };
    }
  }
}

function separatorOf(text: string): ';' | '&&' | '||' {
  if (text.startsWith('&&')) return '&&';
  return text.startsWith('||') ? '||' : ';';
}

function readWord(source: string, variables: Variables) {
  let text = '';
  let position = 0;
  let isQuoted = false;
  while (position < source.length && !/[\s;]/.test(source[position] ?? '')) {
    const rest = source.slice(position);
    if (rest.startsWith('&&') || rest.startsWith('||') || rest.startsWith('>')) break;
    const part = readPart(rest, variables);
    if (part === undefined) return undefined;
    isQuoted ||= part.isQuoted;
    text += part.text;
    position += part.length;
  }
  if (!isQuoted && keywords.has(text)) return undefined;
  return { text, length: position, isQuoted };
}

function readPart(rest: string, variables: Variables) {
  const single = /^'([^']*)'/.exec(rest);
  if (single !== null) return { text: single[1] ?? '', length: single[0].length, isQuoted: true };
  const double = /^"((?:[^"\\]|\\[\s\S])*)"/.exec(rest);
  if (double !== null) {
    const text = expandedQuote(double[1] ?? '', variables);
    return text === undefined ? undefined : { text, length: double[0].length, isQuoted: true };
  }
  const escaped = /^\\([\s\S])/.exec(rest);
  if (escaped !== null) return { text: escaped[1] ?? '', length: 2, isQuoted: true };
  const variable = /^\$(?:(\w+)|\{(\w+)\})/.exec(rest);
  if (variable !== null) {
    const text = variables.get(variable[1] ?? variable[2] ?? '') ?? '';
    return { text, length: variable[0].length, isQuoted: false };
  }
  const character = rest[0] ?? '';
  if (character === '$' || character === '"' || character === "'" || refused.test(character)) {
    return undefined;
  }
  return { text: character, length: 1, isQuoted: false };
}

function expandedQuote(content: string, variables: Variables): string | undefined {
  if (/`|\$\(/.test(content)) return undefined;
  return content.replace(
    /\\([$`"\\\n])|\$(?:(\w+)|\{(\w+)\})/g,
    (_, escaped: string | undefined, plain: string | undefined, braced: string | undefined) =>
      escaped ?? variables.get(plain ?? braced ?? '') ?? '',
  );
}
