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
    | 'Refused';
  /** As the API server worded it. */
  readonly message: string;
}
