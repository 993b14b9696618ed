/** The keys with which dispatcher and functions know one another, as a setting or in a file. */
import { readFile } from 'node:fs/promises';
import { MillraceError } from '#shared/domain/errors.ts';
import { isLoopback } from '#shared/domain/loopback.ts';
import { parseDeliveryKeys } from '#shared/events/delivery-signature.ts';
import type { Logger } from '../process/telemetry.ts';

export interface DeliveryKeys {
  /** Those of now; a file is read again every few seconds. */
  readonly current: () => readonly Uint8Array[];
  close(): void;
}

export interface DeliveryKeySettings {
  readonly deliveryKey?: string;
  readonly deliveryKeyFile?: string;
}

/** Between two readings of the file, in milliseconds: kubelets replace a mounted Secret within a minute. */
const rereadMs = 5_000;

/**
 * Undefined when neither setting is given. Throws MR_DELIVERY_KEY_INVALID when both are, when the file
 * cannot be read, and for what {@link parseDeliveryKeys} refuses. A file that turns bad later leaves
 * the keys as they were, and is logged.
 */
export async function openDeliveryKeys(
  { deliveryKey, deliveryKeyFile: file }: DeliveryKeySettings,
  logger: Pick<Logger, 'info' | 'warn'>,
  everyMs = rereadMs,
): Promise<DeliveryKeys | undefined> {
  if (deliveryKey !== undefined && file !== undefined) throw bothGiven();
  if (deliveryKey !== undefined) {
    const keys = parseDeliveryKeys(deliveryKey, 'MILLRACE_DELIVERY_KEY');
    return { current: () => keys, close: () => undefined };
  }
  return file === undefined ? undefined : keysInFile(file, logger, everyMs);
}

async function keysInFile(
  file: string,
  logger: Pick<Logger, 'info' | 'warn'>,
  everyMs: number,
): Promise<DeliveryKeys> {
  let text = await readKeyFile(file);
  let keys = parseDeliveryKeys(text, file);
  const reread = async (): Promise<void> => {
    try {
      const latest = await readKeyFile(file);
      if (latest === text) return;
      text = latest;
      keys = parseDeliveryKeys(latest, file);
      logger.info({ file, keys: keys.length }, 'delivery keys were replaced');
    } catch (error) {
      logger.warn({ err: error, file }, 'delivery keys stay as they were');
    }
  };
  const timer = setInterval(() => void reread(), everyMs);
  timer.unref();
  return { current: () => keys, close: () => clearInterval(timer) };
}

async function readKeyFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new MillraceError('MR_DELIVERY_KEY_INVALID', { source: file, detail }, { cause });
  }
}

function bothGiven(): MillraceError {
  const source = 'MILLRACE_DELIVERY_KEY and MILLRACE_DELIVERY_KEY_FILE';
  return new MillraceError('MR_DELIVERY_KEY_INVALID', { source, detail: 'only one may be set' });
}

export interface ListeningSettings {
  readonly host: string;
  readonly allowUnsigned: boolean;
}

/** Throws MR_DELIVERY_KEY_MISSING where other machines could send events and none would be proven. */
export function requireKeyBeyondLoopback(
  { host, allowUnsigned }: ListeningSettings,
  keys: DeliveryKeys | undefined,
): void {
  if (keys !== undefined || allowUnsigned || isLoopback(host)) return;
  throw new MillraceError('MR_DELIVERY_KEY_MISSING', { host });
}
