import type { Connection } from '#shared/kube/connection.ts';
import { askControl } from '../up/ask-control.ts';
import type { EventDesk, FlowRecords, Redelivery } from './event-desk.ts';

/** The desk of a `millrace up` in another process: its control address, with the credentials of its API. */
export function remoteDesk(control: string, connection: Pick<Connection, 'headers'>): EventDesk {
  const ask = askControl(control, connection);
  return {
    recordsOf: async (flow) => {
      const response = await ask(`/events/of/${encodeURIComponent(flow)}`);
      return (await response.json()) as FlowRecords;
    },
    redeliver: async (eventId) => {
      const response = await ask(`/events/${encodeURIComponent(eventId)}/redeliver`, 'POST');
      return response.status === 404 ? undefined : ((await response.json()) as Redelivery);
    },
  };
}
