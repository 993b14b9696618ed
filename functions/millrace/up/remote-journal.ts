/** The journal of a `millrace up` in another process, over its control address. */
import type { Journal, JournalEntry } from '#shared/journal/journal.ts';
import type { Connection } from '#shared/kube/connection.ts';
import { askControl } from './ask-control.ts';

export function remoteJournal(
  control: string,
  connection: Pick<Connection, 'headers'>,
): Pick<Journal, 'read'> {
  const ask = askControl(control, connection);
  return {
    read: async (after, limit) => {
      const query = new URLSearchParams({
        limit: `${limit}`,
        ...(after === undefined ? {} : { after }),
      });
      return (await (await ask(`/journal?${query.toString()}`)).json()) as readonly JournalEntry[];
    },
  };
}
