/** Why an object does not go on, as data: `millrace why -o json` prints it. */

export interface Named {
  readonly kind: string;
  /** Empty for an object of the whole cluster. */
  readonly namespace: string;
  readonly name: string;
  /** A step of a JobFlow, a node of a DaemonJob, a component of an AppWrapper. */
  readonly part?: string;
}

/** Something that the object waits for or failed by. */
export interface Cause {
  readonly object: Named;
  /** One CamelCase word, as it is stored. */
  readonly reason: string;
  /** As it is stored; the words of the API server, of Kueue, the scheduler and the kubelet are theirs. */
  readonly message: string;
  /** Where this is stored. */
  readonly source: string;
  /** RFC 3339, UTC. When it ends by itself. Absent: nothing says so. */
  readonly until?: string;
  /** A command that shows more or ends it. */
  readonly next?: string;
  /** What it comes from. */
  readonly because: readonly Cause[];
}

export interface Explanation {
  readonly object: Named;
  /** As its status says; empty before it has one, and of a part. */
  readonly state: string;
  /** It has not ended, and something keeps it from going on. */
  readonly waits: boolean;
  /** Empty: nothing is known to keep it from going on. */
  readonly causes: readonly Cause[];
  /** One command to run next. */
  readonly next: string;
}

/** The command of the first cause that has one, from the innermost on. */
export function nextOf(causes: readonly Cause[]): string | undefined {
  for (const { because, next } of causes) {
    const found = nextOf(because) ?? next;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first command in a message; Millrace ends its words with one where it knows which shows more. */
export function commandIn(message: string): string | undefined {
  return /; kubectl ([^;)]+)/.exec(message)?.[1];
}
