/** A kind as a manifest names it. */
export interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}
