import type { Uid } from './objects.ts';

/** A write the API server refused for good; the decision is made once more knowing it. */
export interface Rejection {
  /** Name of the object that was to be written. */
  readonly name: string;
  /** Of an object that was to be patched: several may have one name. */
  readonly uid?: Uid;
  readonly code:
    | 'NameConflict'
    /** As NameConflict, and the object that has the name is being deleted. */
    | 'NameTerminating'
    | 'Forbidden'
    | 'Invalid'
    | 'QuotaExceeded'
    | 'Refused'
    /** Nobody is on record whose rights could be asked. */
    | 'SubmitterUnknown'
    /** Nothing is run in its namespace. */
    | 'ExemptNamespace';
  /** As the API server worded it, or we where we did not ask it. */
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

/** The Job was not created, and may be later. */
export function isRefusal(reason: string | undefined): boolean {
  return reason !== undefined && mayPass.has(reason);
}

/** These concern one Job alone. */
export function isTaken(reason: string | undefined): boolean {
  return reason === 'NameConflict' || reason === 'NameTerminating';
}
