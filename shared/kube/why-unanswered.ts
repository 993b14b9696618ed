import { hasCode } from '#shared/domain/errors.ts';

/**
 * The API server answers 503 for the kinds of an aggregated API whose server does not answer. Returns its words, or
 * undefined for any other error.
 */
export function whyUnanswered(error: unknown): string | undefined {
  if (!hasCode(error, 'MR_API_RETRYABLE') || error.fields['status'] !== 503) return undefined;
  return String(error.fields['detail']);
}
