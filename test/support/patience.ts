/**
 * A test waits this long for an expected change, in milliseconds. It ends a hanging test within the test's
 * timeout.
 */
export const patienceMs = 45_000;

/** The same for kubectl on a node with containers. */
export const kubectlPatience = '--timeout=10m';
