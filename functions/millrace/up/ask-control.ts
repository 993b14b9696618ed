import { type ErrorCode, MillraceError } from '#shared/domain/errors.ts';
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import type { Connection } from '#shared/kube/connection.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';

/**
 * Requests a path of the control service. The answer is successful or a 404. Throws CommandFailure, and
 * MR_QUEUE_UNAVAILABLE if the Redis of that `millrace up` does not answer.
 */
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
  if (response.ok || response.status === 404) return response;
  const problem = fieldsOf(await response.json().catch(() => null));
  if (problem['title'] === queueAway) {
    const { address, detail } = fieldsOf(problem['fields']);
    throw new MillraceError(queueAway, { address: textOf(address), detail: textOf(detail) });
  }
  throw unanswered(url, `status ${response.status}`);
}

const queueAway: ErrorCode = 'MR_QUEUE_UNAVAILABLE';

function unanswered(url: string, detail: string): CommandFailure {
  return new CommandFailure(
    exitCodes.unreachable,
    `millrace up does not answer at ${url}: ${detail}`,
    'millrace up',
  );
}
