/**
 * A position is `<milliseconds>-<sequence>` as in a Redis Stream. It is zero-padded, so that
 * positions sort as text in the order of appending.
 */
const msDigits = 15;
const sequenceDigits = 16;
const pattern = /^(\d{15})-(\d{16})$/;

export function formatPosition(ms: number, sequence: number): string {
  return [String(ms).padStart(msDigits, '0'), String(sequence).padStart(sequenceDigits, '0')].join(
    '-',
  );
}

/** Throws a TypeError if the text is not a position. */
export function parsePosition(position: string): {
  readonly ms: number;
  readonly sequence: number;
} {
  const [, ms, sequence] = pattern.exec(position) ?? [];
  if (ms === undefined || sequence === undefined) {
    throw new TypeError(`not a position in the journal: ${position}`);
  }
  return { ms: Number(ms), sequence: Number(sequence) };
}
