/** Millrace sends requests only to addresses that its operator configured. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import { connect } from '#shared/kube/connection.ts';
import { HttpKubeClient } from '#shared/kube/http-client.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { createHttpDelivery } from '#functions/dispatcher/deliver-http.ts';
import { workItem } from '#functions/dispatcher/testing/work-item.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Answers every request with a redirect to `to` or with 204, and counts the requests. */
async function serve(to?: URL) {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    if (to === undefined) response.writeHead(204).end();
    else response.writeHead(307, { location: to.href, connection: 'close' }).end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}/latest/meta-data`), seen: () => requests };
}

it('#32 does not follow a function that redirects a delivery', async () => {
  const inner = await serve();
  const outer = await serve(inner.url);
  const urls = new Map([['flow-advance', outer.url]]);
  const delivery = createHttpDelivery({ urls, clock: systemClock, timeoutMs: 5_000 });
  const verdict = await delivery.deliver(workItem('a'), new AbortController().signal);
  await delivery.close();
  expect(verdict.kind).not.toBe('done');
  expect([outer.seen(), inner.seen()]).toEqual([1, 0]);
});

it('#32 does not follow an API server that redirects a request', async () => {
  const inner = await serve();
  const outer = await serve(inner.url);
  const connection = await connect({
    server: outer.url.origin,
    namespace: 'default',
    describe: 'a server that redirects',
    read: async () => ({ tls: {}, headers: { authorization: 'Bearer secret' } }),
  });
  const client = new HttpKubeClient({ connection, userAgent: 'attack' });
  const asked = client.get(resources.Job, { namespace: 'default', name: 'a' });
  await expect(asked).rejects.toMatchObject({ name: 'MillraceError' });
  await connection.close();
  expect([outer.seen(), inner.seen()]).toEqual([1, 0]);
});
