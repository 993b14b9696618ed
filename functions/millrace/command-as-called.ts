/** Commands of Millrace in a hint, by the name that the program was called by. Pure. */
export function commandAsCalled(hint: string, called: string): string {
  return hint.replace(/(^|`)millrace (?=[a-z-])/g, `$1${called} `);
}
