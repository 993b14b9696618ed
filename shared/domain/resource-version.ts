import type { ResourceVersion } from '#shared/domain/objects.ts';

const decimal = /^(?:0|[1-9][0-9]*)$/;

/**
 * Orders two versions of ONE resource: negative if `a` is older, 0 if equal, positive if newer.
 * Allowed since Kubernetes 1.35 (KEP-5504: versions of a resource compare as decimal numbers of any
 * length). Undefined if a server breaks that rule; then only the order of arrival counts.
 */
export function compareVersions(a: ResourceVersion, b: ResourceVersion): number | undefined {
  if (a === b) return 0;
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Also false if the two do not compare. */
export function isNewer(a: ResourceVersion, b: ResourceVersion): boolean {
  return (compareVersions(a, b) ?? 0) > 0;
}

/** Older or the same; also false if the two do not compare. */
export function isKnownBy(a: ResourceVersion, b: ResourceVersion): boolean {
  return (compareVersions(a, b) ?? 1) <= 0;
}
