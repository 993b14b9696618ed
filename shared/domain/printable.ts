/** What moves the cursor, hides text or turns its direction: names and messages are other people's. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text as one line that a terminal shows and does not obey. */
export function printable(text: string): string {
  return text.replace(unprintable, ' ');
}
