import type { HttpKubeClientOptions } from '#shared/kube/http-client.ts';
import { connect, type Connection, type Credentials } from '#shared/kube/connection.ts';
import { HttpKubeClient } from '#shared/kube/http-client.ts';

/** A connection to a plain HTTP server; `read` supplies credentials. */
export function connectTo(
  server: string,
  read: (forced: boolean) => Promise<Credentials> = () => Promise.resolve({ tls: {}, headers: {} }),
): Promise<Connection> {
  return connect({ server, namespace: 'default', describe: `test server ${server}`, read });
}

/** The real client against a {@link LoopbackApiServer}. */
export async function clientFor(
  server: string,
  options: Partial<HttpKubeClientOptions> = {},
): Promise<{ client: HttpKubeClient; connection: Connection }> {
  const connection = options.connection ?? (await connectTo(server));
  const client = new HttpKubeClient({ userAgent: 'millrace/test (test)', ...options, connection });
  return { client, connection };
}
