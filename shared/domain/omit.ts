/** Returns the record without one of its members. */
export function omit<Record extends object, Name extends keyof Record>(
  record: Record,
  name: Name,
): Omit<Record, Name> {
  const entries = Object.entries(record).filter(([key]) => key !== name);
  return Object.fromEntries(entries) as Omit<Record, Name>;
}
