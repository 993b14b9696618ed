/**
 * A warning of the API server on an object that it stored. The decision is made once more with this knowledge.
 */
export interface WriteWarning {
  /** Name of the object that was written. */
  readonly name: string;
  /** The API server's words. */
  readonly message: string;
  /** Nothing is lost: an admission of the cluster changed the object, and the next pass handles it. */
  readonly isAltered?: true;
}

/**
 * Whether a warning says that a part of the object was dropped (KEP-2885). Others are advice (deprecations, Pod
 * security), which may come with every object of a cluster.
 */
export function reportsLoss(message: string): boolean {
  return message.startsWith('unknown field ') || message.startsWith('duplicate field ');
}
