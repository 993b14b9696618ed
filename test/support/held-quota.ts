import { vi } from 'vitest';

interface Place {
  /** In this namespace. Throws kubectl's own message if the exit code is not 0. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
}

const patience = { timeout: 45_000, interval: 100 };

/**
 * Creates the ResourceQuota `name` and waits until it is enforced. A written status does not show that: the API
 * server uses its own view of quotas, which sees the status a moment later. `trial` is an object that the quota
 * counts; it is never stored.
 */
export async function holdQuota(
  place: Place,
  { name, resource, most, trial }: { name: string; resource: string; most: number; trial: object },
): Promise<void> {
  const set = (limit: number) =>
    place.kubectl(
      ['apply', '-f', '-'],
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name },
        spec: { hard: { [resource]: String(limit) } },
      }),
    );
  const attempt = () =>
    place.kubectl(['create', '--dry-run=server', '-f', '-'], JSON.stringify(trial)).then(
      () => 'accepted',
      (error: unknown) => String(error),
    );
  const until = (expected: string) =>
    vi.waitFor(async () => {
      const answer = await attempt();
      if (!answer.includes(expected)) throw new Error(`not yet ${expected}: ${answer}`);
    }, patience);
  await set(0);
  await until(`exceeded quota: ${name}`);
  if (most === 0) return;
  await set(most);
  await until('accepted');
}
