/**
 * One log for all connections of a process to one server: queue and journal lose it together, and
 * one report is enough.
 */
import { rateLimitedWarnings, type RedisLog } from './log.ts';

const warningIntervalMs = 10_000;

export interface OutageLog {
  /** A connection fails; logged at most every 10 s. */
  failed(connection: object, error: Error): void;
  /** A connection works again; logged when it is the last of the failed ones. */
  works(connection: object): void;
  /** A connection is no longer needed. */
  closed(connection: object): void;
}

/** By log and address. */
const known = new WeakMap<RedisLog, Map<string, OutageLog>>();

export function outageLogOf(log: RedisLog, address: string): OutageLog {
  const byAddress = known.get(log) ?? new Map<string, OutageLog>();
  known.set(log, byAddress);
  const voice = byAddress.get(address) ?? createOutageLog(log, address);
  byAddress.set(address, voice);
  return voice;
}

function createOutageLog(log: RedisLog, address: string): OutageLog {
  const lost = new WeakSet<object>();
  let count = 0;
  const warn = rateLimitedWarnings(log, warningIntervalMs);
  const forget = (connection: object): boolean => {
    const wasLost = lost.delete(connection);
    if (wasLost) count -= 1;
    return wasLost;
  };
  return {
    failed: (connection, error) => {
      if (!lost.has(connection)) count += 1;
      lost.add(connection);
      warn({ address, error: error.message }, 'redis connection failed');
    },
    works: (connection) => {
      if (forget(connection) && count === 0) log.info({ address }, 'redis connection is back');
    },
    closed: forget,
  };
}
