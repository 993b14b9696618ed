import type { Logger } from '#shared/runtime/process/telemetry.ts';
import type { SimulationContext } from './simulation-context.ts';
import type { Life } from './timeline.ts';

/** Turns log messages of processes into lines of the trace. */
export function traceLogger(context: SimulationContext, life: Life): Logger {
  const line = (level: string) => (fields: object | string, message?: string) =>
    context.trace(life, () =>
      typeof fields === 'string' ? `${level} ${fields}` : `${level} ${message} ${shortly(fields)}`,
    );
  const quiet = (): void => undefined;
  const logger = {
    trace: quiet,
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    fatal: line('fatal'),
    child: () => logger,
  };
  return logger as unknown as Logger;
}

function shortly(fields: object): string {
  const { err, ...rest } = fields as { readonly err?: unknown };
  const text = JSON.stringify(rest).slice(0, 600);
  return err instanceof Error
    ? `${text} ${err.message} ${err.name === 'Error' || err.name === 'TypeError' ? (err.stack ?? '') : ''}`
    : text;
}
