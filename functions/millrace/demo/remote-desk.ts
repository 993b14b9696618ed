import type { Connection } from '#shared/kube/connection.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import type { EventDesk, FlowRecords, Redelivery } from './event-desk.ts';

/**
 * The desk of a `millrace up` in another process, over its control address, with the credentials of
 * the connection to its API.
 */
export function remoteDesk(control: string, connection: Pick<Connection, 'headers'>): EventDesk {
  const ask = async (url: string, method: 'GET' | 'POST'): Promise<Response> =>
    answered(url, { method, headers: (await connection.headers()) as Record<string, string> });
  return {
    recordsOf: async (flow) => {
      const response = await ask(`${control}/events/of/${encodeURIComponent(flow)}`, 'GET');
      return (await response.json()) as FlowRecords;
    },
    redeliver: async (eventId) => {
      const url = `${control}/events/${encodeURIComponent(eventId)}/redeliver`;
      const response = await ask(url, 'POST');
      return response.status === 404 ? undefined : ((await response.json()) as Redelivery);
    },
  };
}

async function answered(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init).catch((error: unknown) => {
    throw unanswered(url, error instanceof Error ? error.message : String(error));
  });
  if (!response.ok && response.status !== 404) throw unanswered(url, `status ${response.status}`);
  return response;
}

function unanswered(url: string, detail: string): CommandFailure {
  return new CommandFailure(
    exitCodes.unreachable,
    `millrace up does not answer at ${url}: ${detail}`,
    'millrace up',
  );
}
