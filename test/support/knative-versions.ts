/** Knative 1.15: the newest one of which a Go module proxy has all parts. */
export const knativeVersions = { serving: 'v0.42.2', eventing: 'v0.42.0' } as const;
