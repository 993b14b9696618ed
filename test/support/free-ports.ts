import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range that Linux uses for outgoing connections (32768 and up), so that no client socket
 * takes the port during a server's restart.
 */
const lowest = 20_000;
const highest = 32_000;

/** Different unused ports of 127.0.0.1. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
