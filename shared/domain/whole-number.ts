/** Undefined: Go reads no int32 from the text (strconv.ParseInt). */
export function wholeNumber(text: string): number | undefined {
  if (!/^[-+]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return Math.abs(value) < 2 ** 31 ? value : undefined;
}
