/** What is said of a child Job that is gone and whose end is not on record. */
import { kubectl, withCommand } from './next-command.ts';

/** Nothing tells how it ended: who removed it may have waited for its end. */
export function vanished(namespace: string, jobName: string): string {
  const message = `Job ${jobName} is gone and its end was not seen, so its result is not known: it may have been deleted while it ran, or have ended and been removed by a TTL`;
  return withCommand(message, `${kubectl(namespace)} events --for job/${jobName}`);
}
