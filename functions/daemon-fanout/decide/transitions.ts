/** Compares the status that was read with the wanted one. */
import type { DaemonJobStatus, NodeEntry } from '#shared/api/daemon-job.ts';

export interface Transitions {
  readonly before: DaemonJobStatus;
  readonly after: DaemonJobStatus;
  /** Entries with a new state or reason. */
  readonly nodes: readonly NodeEntry[];
}

export function transitionsOf(before: DaemonJobStatus, after: DaemonJobStatus): Transitions {
  const known = new Map((before.nodes ?? []).map((entry) => [entry.name, entry]));
  const nodes = (after.nodes ?? []).filter((entry) => {
    const previous = known.get(entry.name);
    return previous?.state !== entry.state || previous.reason !== entry.reason;
  });
  return { before, after, nodes };
}
