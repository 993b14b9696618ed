import type { Connection } from '#shared/kube/connection.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';

/** Requests a path of the control service. The answer is successful or a 404. Throws CommandFailure. */
export type AskControl = (path: string, method?: 'GET' | 'POST') => Promise<Response>;

/** For a `millrace up` in another process, with the credentials of its API. */
export function askControl(control: string, connection: Pick<Connection, 'headers'>): AskControl {
  return async (path, method = 'GET') => {
    const headers = (await connection.headers()) as Record<string, string>;
    return answered(`${control}${path}`, { method, headers });
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
