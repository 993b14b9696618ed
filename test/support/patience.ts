/** How long a test waits for what has to come, in milliseconds: to end what hangs, within the limit of a test. */
export const patienceMs = 45_000;
