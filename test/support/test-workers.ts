/** The environment variable for how many files without a control plane run at once. Default: one on each processor. */
export const workersVariable = 'MILLRACE_TEST_WORKERS';
