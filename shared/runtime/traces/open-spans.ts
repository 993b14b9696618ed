import { hostname } from 'node:os';
import type { Registry } from 'prom-client';
import type { Logger } from '../process/telemetry.ts';
import type { Spans } from './span-exporter.ts';

export interface SpansOfProcess {
  readonly settings: { readonly otlpEndpoint?: string };
  /** Name of the process. */
  readonly name: string;
  readonly version: string;
  readonly logger: Logger;
  readonly registry: Registry;
}

/** Undefined without a collector; nothing is loaded then. */
export async function openSpans({ settings, ...own }: SpansOfProcess): Promise<Spans | undefined> {
  const endpoint = settings.otlpEndpoint;
  if (endpoint === undefined) return undefined;
  const { exportSpans } = await import('./span-exporter.ts');
  return exportSpans({ ...own, endpoint, instance: hostname() });
}
