/** Knative 1.15: the newest version whose parts are all on a Go module proxy. */
export const knativeVersions = { serving: 'v0.42.2', eventing: 'v0.42.0' } as const;
