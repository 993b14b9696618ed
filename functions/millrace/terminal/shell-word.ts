/** The text as one word of a POSIX shell, quoted if necessary. */
export function shellWord(text: string): string {
  const isPlain = /^[\w@%+=:,./-]+$/.test(text);
  return isPlain ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
