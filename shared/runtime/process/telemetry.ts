import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { MillraceError } from '#shared/domain/errors.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { printableRecord } from './printable-record.ts';

export type { Logger };

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LoggerOptions {
  /** Name of the process, on every line. */
  readonly name: string;
  /** Version of Millrace, on every JSON line. */
  readonly version: string;
  /** Default `info`. */
  readonly level?: LogLevel;
  /** `auto`: readable text on a terminal, JSON otherwise. Default `auto`. */
  readonly format?: 'json' | 'pretty' | 'auto';
  readonly destination: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/**
 * A logger for one process. Loads pino-pretty only for readable text. Values of fields called
 * authorization, token or password never reach the output.
 */
export async function createLogger(options: LoggerOptions): Promise<Logger> {
  const { name, version, level = 'info', format = 'auto', destination } = options;
  const pretty = format === 'pretty' || (format === 'auto' && destination.isTTY === true);
  const stream = pretty ? await prettyStream(destination) : destination;
  return pino(
    {
      name,
      level,
      base: pretty ? {} : { name, version },
      // Words and RFC 3339 are readable without a table.
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      redact: { paths: secretFields, censor: '[redacted]' },
      serializers: { err: describeError },
    },
    stream,
  );
}

/** The code of Millrace's own errors shows their origin; only others need a stack. */
function describeError(error: Error): object {
  if (!(error instanceof MillraceError)) return stdSerializers.err(error);
  const { code, message, next } = error;
  return { code, message, next };
}

const secretFields = ['authorization', 'token', 'password'].flatMap((name) => [name, `*.${name}`]);

/** One line for each call: subject and reason first, the rest after them. */
async function prettyStream(destination: NodeJS.WritableStream): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({
    destination,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: ['name', 'part', 'function', 'eventId', 'key', 'reasons', 'why'].join(','),
    singleLine: true,
    messageFormat: (log, messageKey) =>
      [log['key'], ownMember(log, messageKey), log['why']].filter(isText).join('  '),
    sync: true,
  });
  // Names and messages come from users and must not control the reader's terminal.
  return { write: (line) => void stream.write(printableRecord(line)) };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * A registry for one process, with Node's own metrics. It is not global, so that two can exist side by
 * side.
 */
export function createRegistry(labels: Readonly<Record<string, string>> = {}): Registry {
  const registry = new Registry();
  registry.setDefaultLabels(labels);
  collectDefaultMetrics({ register: registry });
  for (const name of misnamedGauges) registry.removeSingleMetric(name);
  return registry;
}

/** `_total` is for counters. Each of these is the sum of the gauge of the same name by type. */
const misnamedGauges = ['active_resources', 'active_handles', 'active_requests'].map(
  (name) => `nodejs_${name}_total`,
);
