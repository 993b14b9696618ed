/** What the rules permit although it is not what a look at the truth would have given; each has a name. */
export const freedoms = [
  /** Decided on a version of the flow that was not the last one; the write is refused then. */
  'older flow',
  /** Decided on a version of the DaemonJob that was not the last one; the write is refused then. */
  'older DaemonJob',
  /** Decided by nodes as they were before one was added, changed or removed. */
  'older nodes',
  /** Decided on a Job as it was before its last change. */
  'older Job',
  /** Decided without a Job that was there, and that nobody had told of. */
  'unseen Job',
  /** Decided by a JobTemplate as it was before it was changed, created or deleted. */
  'older template',
  /** An Event that the API server did not take: it tells of the work and is not the work. */
  'lost Event',
] as const;

export type Freedom = (typeof freedoms)[number];
export type FreedomsUsed = Partial<Record<Freedom, number>>;
