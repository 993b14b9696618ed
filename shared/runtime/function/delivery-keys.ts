/** The keys that dispatcher and functions share for signatures, from a setting or a file. */
import { readFile } from 'node:fs/promises';
import { MillraceError } from '#shared/domain/errors.ts';
import { isLoopback } from '#shared/domain/loopback.ts';
import { parseDeliveryKeys } from '#shared/events/delivery-signature.ts';
import type { Logger } from '../process/telemetry.ts';

export interface DeliveryKeys {
  /** The current keys. A file is read again every few seconds. */
  readonly current: () => readonly Uint8Array[];
  close(): void;
}

export interface DeliveryKeySettings {
  readonly deliveryKey?: string;
  readonly deliveryKeyFile?: string;
}

/**
 * Interval between two reads of the file, in milliseconds. Kubelets replace a mounted Secret within a
 * minute.
 */
const rereadMs = 5_000;

/**
 * Undefined if neither setting is given. Throws MR_DELIVERY_KEY_INVALID if both are, if the file is
 * unreadable, and for what {@link parseDeliveryKeys} refuses. If the file turns bad later, the old keys
 * stay and the fault is logged.
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

/** Throws MR_DELIVERY_KEY_MISSING if other machines could send events without a signature. */
export function requireKeyBeyondLoopback(
  { host, allowUnsigned }: ListeningSettings,
  keys: DeliveryKeys | undefined,
): void {
  if (keys !== undefined || allowUnsigned || isLoopback(host)) return;
  throw new MillraceError('MR_DELIVERY_KEY_MISSING', { host });
}
