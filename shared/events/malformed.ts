import { MillraceError } from '#shared/domain/errors.ts';

/** Throws MR_EVENT_MALFORMED with this reason, which the sender gets. */
export function malformed(detail: string, cause?: unknown): never {
  throw new MillraceError('MR_EVENT_MALFORMED', { detail }, { cause });
}

/** As {@link malformed}, answered 415: it is the content type that is not taken. */
export function unsupported(detail: string): never {
  throw new MillraceError('MR_EVENT_MALFORMED', { detail, status: 415 });
}
