/** Messages about a child Job that is gone without a recorded end. */
import { kubectl, withCommand } from './next-command.ts';

/** Its outcome is unknown: it may have been removed after its end. */
export function vanished(namespace: string, jobName: string): string {
  const message = `Job ${jobName} is gone and its end was not seen, so its result is not known: it may have been deleted while it ran, or have ended and been removed by a TTL`;
  return withCommand(message, `${kubectl(namespace)} events --for job/${jobName}`);
}
