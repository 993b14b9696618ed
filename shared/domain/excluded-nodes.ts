/**
 * The names in `excludeNodeList`. Without trimming, a blank after a comma would let the Job run on a node
 * that was excluded.
 */
export function excludedNodes(list: string | undefined): ReadonlySet<string> {
  const names = (list ?? '').split(',').map((name) => name.trim());
  return new Set(names.filter((name) => name !== ''));
}
