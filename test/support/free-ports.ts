import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range that Linux hands out to outgoing connections (32768 and up), so that nobody's
 * client socket takes the port while a server is down for a restart.
 */
const lowest = 20_000;
const highest = 32_000;

/** Different 127.0.0.1 ports on which nothing listens now. */
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
