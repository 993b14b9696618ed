import type { Rejection } from '#shared/domain/rejection.ts';

const refusals: ReadonlySet<string> = new Set<Rejection['code']>([
  'NameConflict',
  'NameTerminating',
  'Forbidden',
  'QuotaExceeded',
  'Refused',
]);

/** The API server did not take the Job, and may take it later. */
export function isRefusal(reason: string | undefined): boolean {
  return reason !== undefined && refusals.has(reason);
}

/** These concern one Job alone. */
export function isTaken(reason: string | undefined): boolean {
  return reason === 'NameConflict' || reason === 'NameTerminating';
}
