/** API servers and webhooks quote what they refuse; what they say is logged, shown and stored. */
import { MillraceError } from '#shared/domain/errors.ts';
import type { Json } from '#shared/domain/objects.ts';
import { redacted, redactedTexts } from '#shared/domain/redact.ts';

/** A shorter value may well be a word of the message, so it counts only where it is quoted. */
const tellingLength = 8;

/**
 * Does a write that carries `body`. What it throws quotes no value of an environment variable in the
 * body: neither its message nor its fields, and it has no cause that might.
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
  // The longest first: a shorter one may be a part of it.
  const longestFirst = [...texts].sort((left, right) => right.length - left.length);
  return longestFirst.reduce(hideText, message);
}

function hideText(message: string, text: string): string {
  if (text === '') return message;
  const escaped = JSON.stringify(text).slice(1, -1);
  if (text.length < tellingLength) return message.replaceAll(`"${escaped}"`, `"${redacted}"`);
  return message.replaceAll(text, redacted).replaceAll(escaped, redacted);
}
