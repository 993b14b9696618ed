interface Counting {
  readonly __stryker__?: {
    readonly mutantCoverage?: { readonly static: Readonly<Record<string, number>> };
  };
}

/** Ids of the candidates that this process, or this test file, came by. */
export function reachedHere(): readonly string[] {
  return Object.keys((globalThis as Counting).__stryker__?.mutantCoverage?.static ?? {});
}
