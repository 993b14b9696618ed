/** Every main.ts does the same around its start: settings, --help, log, signals, exit codes. */
import type { Static, TObject } from 'typebox';
import { MillraceError } from '#shared/domain/errors.ts';
import { printable } from '#shared/domain/printable.ts';
import { describeConfiguration, readConfiguration, type Environment } from './configuration.ts';
import type { shutdownSettings, logSettings } from './service-settings.ts';
import { shutDownOnSignal, type ShutdownProcess } from './shutdown.ts';
import { createLogger, type Logger } from './telemetry.ts';

/** The used parts of `process`; only a main.ts passes them. */
export interface HostProcess extends ShutdownProcess {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream;
}

export interface Started {
  /** The address it listens on. */
  readonly url: string;
  /** Rejects if the process must be restarted. */
  readonly ended?: Promise<void>;
  /** Finishes running work within the drain time, and closes. */
  stop(): Promise<void>;
}

/** Settings of every schema, because this file reads them. */
type CommonSettings = TObject<typeof logSettings & typeof shutdownSettings>;

export interface MainOptions<Schema extends TObject> {
  readonly process: HostProcess;
  readonly name: string;
  readonly version: string;
  readonly schema: Schema;
  readonly start: (configuration: Static<Schema>, logger: Logger) => Promise<Started>;
}

/** Time for closing idle parts after the drain time, in milliseconds. */
const closingMs = 5_000;

/**
 * Runs until a signal (exit 0, or 130 on the second) or a failure (exit 1). Exit 1 also for a failed
 * start, with every fault on stderr, and 2 for arguments, because it takes none.
 */
export async function runMain<Schema extends CommonSettings>(
  options: MainOptions<Schema>,
): Promise<void> {
  const { process: host, name, version, schema } = options;
  const [argument] = host.argv.slice(2);
  if (argument === '--help' || argument === '-h') {
    host.stdout.write(`${name} ${version}, configured by its environment:\n`);
    host.stdout.write(`${describeConfiguration(schema)}\n`);
    host.exit(0);
    return;
  }
  if (argument !== undefined) {
    const what = printable(argument);
    host.stderr.write(`error: ${name} takes no arguments, and got ${what}\n`);
    host.stderr.write('next: set its environment variables, which --help lists\n');
    host.exit(2);
    return;
  }
  try {
    const configuration = readConfiguration(schema, host.env);
    await startAndWatch(options, configuration);
  } catch (error) {
    host.stderr.write(describeFault(error));
    host.exit(1);
  }
}

async function startAndWatch<Schema extends CommonSettings>(
  { process: host, name, version, start }: MainOptions<Schema>,
  configuration: Static<Schema>,
): Promise<void> {
  const common = configuration as Static<CommonSettings>;
  const { logLevel: level, logFormat: format } = common;
  const logger = await createLogger({ name, version, level, format, destination: host.stdout });
  const started = await start(configuration, logger);
  logger.info({ url: started.url }, 'ready');
  shutDownOnSignal({
    process: host,
    logger,
    deadlineMs: common.drainSeconds * 1000 + closingMs,
    stop: () => started.stop(),
  });
  started.ended?.catch((error: unknown) => {
    logger.fatal({ err: error }, 'cannot continue');
    host.exit(1);
  });
}

function describeFault(error: unknown): string {
  if (!(error instanceof MillraceError)) {
    return `error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`;
  }
  return `error: ${printable(error.message)} (${error.code})\nnext: ${error.next}\n`;
}
