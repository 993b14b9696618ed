/** Compares by code units: the same order in every locale. For `sort`. */
export function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
