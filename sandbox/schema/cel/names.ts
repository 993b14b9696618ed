/** Property names as identifiers of CEL (apiserver pkg/cel/escaping.go). */

const reserved = new Set(
  (
    'true false null in as break const continue else for function if import let loop package ' +
    'namespace return var void while'
  ).split(' '),
);
const symbols: Readonly<Record<string, string>> = {
  underscores: '__',
  dot: '.',
  dash: '-',
  slash: '/',
};

/** The property that an identifier names. Undefined for an invalid escape. */
export function unescapeName(identifier: string): string | undefined {
  if (!identifier.includes('__')) return identifier;
  const words = Array.from(identifier.matchAll(/__([^_]+)__/g), ([, word = '']) => word);
  const [only = ''] = words;
  if (reserved.has(only) && identifier === `__${only}__`) return only;
  if (words.some((word) => symbols[word] === undefined)) return undefined;
  return identifier.replace(/__([^_]+)__/g, (_whole, word: string) => symbols[word] ?? '');
}

/** The identifier of a property. A name that CEL cannot reach is returned unchanged. */
export function escapeName(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return name;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}
