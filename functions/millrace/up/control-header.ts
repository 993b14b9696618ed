/** Asked for where something is done; a web page cannot send it without a preflight, which fails. */
export const controlHeader = 'x-millrace-control';
