/** A write the API server refused for good; the decision is made once more knowing it. */
export interface Rejection {
  /** Name of the object that was to be written. */
  readonly name: string;
  readonly code: 'NameConflict' | 'Forbidden' | 'Invalid' | 'QuotaExceeded' | 'Refused';
  /** As the API server worded it. */
  readonly message: string;
}
