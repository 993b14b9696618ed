/** Named outcomes that the rules permit although a read of the truth would give others. */
export const freedoms = [
  /** The decision used an older version of the flow; its write is refused. */
  'older flow',
  /** The decision used an older version of the DaemonJob; its write is refused. */
  'older DaemonJob',
  /** The decision used nodes from before an addition, change or removal. */
  'older nodes',
  /** The decision used a Job from before its last change. */
  'older Job',
  /** The decision lacked an existing Job that was not recorded. */
  'unseen Job',
  /** The decision used a JobTemplate from before its change, creation or deletion. */
  'older template',
  /** The API server refused an Event; it only reports the work. */
  'lost Event',
] as const;

export type Freedom = (typeof freedoms)[number];
export type FreedomsUsed = Partial<Record<Freedom, number>>;
