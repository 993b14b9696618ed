import type { Uid } from './objects.ts';

/**
 * A write that the API server refused for good. The decision is made once more with this knowledge.
 */
export interface Rejection {
  /** Name of the object to be written. */
  readonly name: string;
  /** For an existing object, to be patched or deleted: several may have one name. Absent: a create. */
  readonly uid?: Uid;
  readonly code:
    | 'NameConflict'
    /** As NameConflict, but the holder of the name is being deleted. */
    | 'NameTerminating'
    | 'Forbidden'
    | 'Invalid'
    | 'QuotaExceeded'
    | 'Refused'
    /** No user is recorded whose rights could be checked. */
    | 'SubmitterUnknown'
    /** Nothing runs in its namespace. */
    | 'ExemptNamespace';
  /** The API server's words, or Millrace's if no request was made. */
  readonly message: string;
}

const mayPass: ReadonlySet<string> = new Set<Rejection['code']>([
  'NameConflict',
  'NameTerminating',
  'Forbidden',
  'QuotaExceeded',
  'Refused',
  'SubmitterUnknown',
  'ExemptNamespace',
]);

/** Whether the Job was refused but may be created later. */
export function isRefusal(reason: string | undefined): boolean {
  return reason !== undefined && mayPass.has(reason);
}

/** Whether the reason concerns one Job alone. */
export function isTaken(reason: string | undefined): boolean {
  return reason === 'NameConflict' || reason === 'NameTerminating';
}
