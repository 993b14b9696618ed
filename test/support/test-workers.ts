/** The environment variable that says how many files without a control plane run at once; default: one on each processor. */
export const workersVariable = 'MILLRACE_TEST_WORKERS';
