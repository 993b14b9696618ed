/**
 * The names in `excludeNodeList`. They are trimmed: with a blank after a comma, the Job would run on an
 * excluded node.
 */
export function excludedNodes(list: string | undefined): ReadonlySet<string> {
  const names = (list ?? '').split(',').map((name) => name.trim());
  return new Set(names.filter((name) => name !== ''));
}
