/** By their code units: the same order everywhere, whatever the locale. For `sort`. */
export function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
