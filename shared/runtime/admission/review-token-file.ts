/** Review tokens from a file that may be replaced: a mounted Secret. */
import { readFile } from 'node:fs/promises';
import { MillraceError } from '#shared/domain/errors.ts';
import type { Logger } from '../process/telemetry.ts';
import { reviewTokens, type ReviewTokens } from './review-token.ts';

export interface ReviewTokenFile extends ReviewTokens {
  close(): void;
}

/** Interval between two reads of the file, in milliseconds. Kubelets replace a mounted Secret within a minute. */
const rereadMs = 5_000;
/** Too long to guess, and a path segment that the API server accepts for a webhook. */
const token = /^[a-z0-9]{32,128}$/;

/** Throws MR_REVIEW_TOKEN_INVALID if the file holds none. If it turns bad later, the old tokens stay. */
export async function openReviewTokens(
  file: string,
  logger: Pick<Logger, 'info' | 'warn'>,
  everyMs = rereadMs,
): Promise<ReviewTokenFile> {
  let tokens = await readTokens(file);
  const reread = async (): Promise<void> => {
    try {
      const latest = await readTokens(file);
      if (latest.join() === tokens.join()) return;
      tokens = latest;
      logger.info({ file, tokens: tokens.length }, 'the tokens of reviews were replaced');
    } catch (error) {
      logger.warn({ err: error, file }, 'the tokens of reviews stay as they were');
    }
  };
  const timer = setInterval(() => void reread(), everyMs);
  timer.unref();
  return { ...reviewTokens(() => tokens), close: () => clearInterval(timer) };
}

async function readTokens(file: string): Promise<readonly string[]> {
  const found = (await textOf(file)).split(/\s+/).filter((each) => each !== '');
  if (found.length > 0 && found.every((each) => token.test(each))) return found;
  const detail = 'it has to hold one or more of 32 to 128 lower-case letters and digits';
  throw new MillraceError('MR_REVIEW_TOKEN_INVALID', { file, detail });
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new MillraceError('MR_REVIEW_TOKEN_INVALID', { file, detail }, { cause });
  }
}
