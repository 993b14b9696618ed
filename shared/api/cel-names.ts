/** Strings of CEL (raw ones too), members and names, in the order of matching. */
const tokens = /r"[^"]*"|r'[^']*'|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\.\s*\w+|\b[A-Za-z_]\w*/gi;

/** The expression with these names replaced. Text in strings and members with such names stay. */
export function withNames(expression: string, names: Readonly<Record<string, string>>): string {
  const by = new Map(Object.entries(names));
  return expression.replaceAll(tokens, (token) => by.get(token) ?? token);
}

/** Whether the expression uses the name outside strings. */
export function usesName(expression: string, name: string): boolean {
  return [...expression.matchAll(tokens)].some(([token]) => token === name);
}
