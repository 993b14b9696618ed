/**
 * API servers and webhooks quote refused values, and their messages are logged, shown and stored.
 */
import { MillraceError } from '#shared/domain/errors.ts';
import type { Json } from '#shared/domain/objects.ts';
import { redacted, redactedTexts } from '#shared/domain/redact.ts';

/** A shorter value may be an ordinary word of the message, so it counts only in quotes. */
const distinctLength = 8;

/**
 * Makes a write that carries `body`. Its errors quote no environment variable's value from the body,
 * either in message or fields, and they have no cause that might.
 */
export async function withoutQuotedValues<Answer>(
  body: unknown,
  write: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await write();
  } catch (error) {
    throw error instanceof MillraceError ? withoutValues(error, body as Json) : error;
  }
}

function withoutValues(error: MillraceError, body: Json): MillraceError {
  const detail = error.fields['detail'];
  if (detail === undefined) return error;
  const hidden = hiddenIn(String(detail), redactedTexts(body));
  if (hidden === detail) return error;
  const { code, fields, retryAfterMs } = error;
  const options = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new MillraceError(code, { ...fields, detail: hidden }, options);
}

function hiddenIn(message: string, texts: ReadonlySet<string>): string {
  // The longest first, because a shorter one may be a part of it.
  const longestFirst = [...texts].sort((left, right) => right.length - left.length);
  return longestFirst.reduce(hideText, message);
}

function hideText(message: string, text: string): string {
  if (text === '') return message;
  const escaped = JSON.stringify(text).slice(1, -1);
  if (text.length < distinctLength) return message.replaceAll(`"${escaped}"`, `"${redacted}"`);
  return message.replaceAll(text, redacted).replaceAll(escaped, redacted);
}
