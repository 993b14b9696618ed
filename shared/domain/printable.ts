/**
 * Characters that move the cursor, hide text or change its direction. Names and messages come from
 * users.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text as one line without terminal control characters. */
export function printable(text: string): string {
  return text.replace(unprintable, ' ');
}
