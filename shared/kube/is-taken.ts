import { hasCode } from '#shared/domain/errors.ts';

/** Whether a create failed because an object has its name. */
export function isTaken(error: unknown): boolean {
  return hasCode(error, 'MR_API_CONFLICT') && error.fields['reason'] === 'AlreadyExists';
}
