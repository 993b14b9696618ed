/** Rewrites Millrace's commands in a hint to the name by which the program was called. Pure. */
export function commandAsCalled(hint: string, called: string): string {
  return hint.replace(/(^|`)millrace (?=[a-z-])/g, `$1${called} `);
}
