/** What the API server remarked on an object that it stored; the decision is made once more knowing it. */
export interface WriteWarning {
  /** Name of the object that was written. */
  readonly name: string;
  /** As the API server worded it. */
  readonly message: string;
  /** Nothing is lost: an admission of the cluster changed it, and the next look at the cluster deals with it. */
  readonly isAltered?: true;
}

/**
 * Whether a warning says that something of the object was not understood and is gone (KEP-2885).
 * Others are advice (deprecations, Pod security), which may come with every object of a cluster.
 */
export function tellsOfLoss(message: string): boolean {
  return message.startsWith('unknown field ') || message.startsWith('duplicate field ');
}
