/** A TCP relay on 127.0.0.1 between client and server that can be cut, frozen and mended. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpCut extends AsyncDisposable {
  readonly port: number;
  /** Closes every connection and refuses new ones. */
  cut(): void;
  /** Passes no byte in either direction, but keeps connections open (half-open network). */
  freeze(): void;
  /** Passes everything again. */
  mend(): void;
}

export async function relayTo(targetPort: number): Promise<TcpCut> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: 'open' | 'cut' | 'frozen' = 'open';
  const server = createServer((near) => {
    if (state === 'cut') {
      near.resetAndDestroy();
      return;
    }
    const far = connect(targetPort, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const [from, to] of [pair, [far, near] as const]) {
      from.setNoDelay(true);
      from.on('data', (bytes) => void to.write(bytes));
      from.on('error', end);
      from.on('close', end);
      if (state === 'frozen') from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const each = (act: (socket: Socket) => void): void => {
    for (const pair of [...pairs]) pair.forEach(act);
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      state = 'cut';
      each((socket) => socket.destroy());
    },
    freeze: () => {
      state = 'frozen';
      each((socket) => socket.pause());
    },
    mend: () => {
      state = 'open';
      each((socket) => socket.resume());
    },
    [Symbol.asyncDispose]: async () => {
      each((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
