import { MillraceError } from '#shared/domain/errors.ts';

/** Throws MR_EVENT_MALFORMED with this reason, which the sender gets. */
export function malformed(detail: string, cause?: unknown): never {
  throw new MillraceError('MR_EVENT_MALFORMED', { detail }, { cause });
}

/** As {@link malformed}, but answered with 415: the content type is not accepted. */
export function unsupported(detail: string): never {
  throw new MillraceError('MR_EVENT_MALFORMED', { detail, status: 415 });
}
