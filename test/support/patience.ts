/** How long a test waits for what has to come, in milliseconds: to end what hangs, within the limit of a test. */
export const patienceMs = 45_000;

/** How long kubectl waits for what has to come on a node with containers: to end what hangs, as above. */
export const kubectlPatience = '--timeout=10m';
