import { CommandFailure, exitCodes } from '../command-failure.ts';

const tries = 100;
const highestPort = 65_535;

/**
 * Listens on `port` or the next free one. 0: any port. Throws CommandFailure if a hundred ports in a row are in use,
 * and other errors of `listen`.
 */
export async function onNextFreePort<T>(
  port: number,
  listen: (port: number) => Promise<T>,
): Promise<{ readonly listening: T; readonly port: number }> {
  const last = port === 0 ? 0 : Math.min(highestPort, port + tries - 1);
  for (let candidate = port; candidate <= last; candidate += 1) {
    try {
      return { listening: await listen(candidate), port: candidate };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  const message = `the ports ${port} to ${last} of this machine are in use`;
  throw new CommandFailure(exitCodes.general, message, 'millrace up --port 0');
}
