/** Paths of the API: k8s.io/apiserver pkg/endpoints/request/requestinfo.go. */

/** A path below a group and version of /api or /apis, with decoded names. */
export interface ResourcePath {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Empty: a cluster-scoped object, or all namespaces. */
  readonly namespace: string;
  readonly plural: string;
  /** Empty: the collection. */
  readonly name: string;
  readonly subresource: string;
}

export type Route =
  | { readonly kind: 'resource'; readonly path: ResourcePath }
  /** A discovery document: /api, /apis, /apis/GROUP, /api/v1, /apis/GROUP/VERSION. */
  | { readonly kind: 'versions' }
  | { readonly kind: 'groups' }
  | { readonly kind: 'group'; readonly group: string }
  | { readonly kind: 'resources'; readonly group: string; readonly version: string }
  /** The deprecated /watch/ paths. */
  | { readonly kind: 'legacy-watch' }
  | { readonly kind: 'openapi-v2' }
  | { readonly kind: 'openapi-v3-index' }
  /** `path` as `apis/batch/v1`. */
  | { readonly kind: 'openapi-v3'; readonly path: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'health'; readonly check: string }
  | { readonly kind: 'root' }
  | { readonly kind: 'unknown' };

const unknown: Route = { kind: 'unknown' };
/** Subresources of a namespace itself. Any other name below a namespace is a resource in it. */
const namespaceSubresources = new Set(['status', 'finalize']);

/** `path`: as in the request line, without the query. Undefined when it cannot be decoded. */
export function routeOf(path: string): Route | undefined {
  const segments = decoded(path.split('/').filter((segment) => segment !== ''));
  if (segments === undefined) return undefined;
  const [first, ...rest] = segments;
  switch (first) {
    case undefined:
      return { kind: 'root' };
    case 'api':
      return rest.length === 0 ? { kind: 'versions' } : below('', rest);
    case 'apis':
      return groupRoute(rest);
    case 'openapi':
      return openapiRoute(rest);
    case 'version':
      return rest.length === 0 ? { kind: 'version' } : unknown;
    case 'healthz':
    case 'livez':
    case 'readyz':
      return { kind: 'health', check: first };
    default:
      return unknown;
  }
}

function decoded(segments: readonly string[]): readonly string[] | undefined {
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function groupRoute(segments: readonly string[]): Route {
  const [group, ...rest] = segments;
  if (group === undefined) return { kind: 'groups' };
  return rest.length === 0 ? { kind: 'group', group } : below(group, rest);
}

function openapiRoute([version, ...rest]: readonly string[]): Route {
  if (version === 'v2' && rest.length === 0) return { kind: 'openapi-v2' };
  if (version !== 'v3') return unknown;
  if (rest.length === 0) return { kind: 'openapi-v3-index' };
  return { kind: 'openapi-v3', path: rest.join('/') };
}

/** Below /api or /apis/GROUP. */
function below(group: string, segments: readonly string[]): Route {
  const [version = '', ...rest] = segments;
  if (rest.length === 0) return { kind: 'resources', group, version };
  if (rest[0] === 'watch') return { kind: 'legacy-watch' };
  const [namespace, scoped] = splitNamespace(rest);
  const [plural = '', name = '', ...subresource] = scoped;
  const path = { group, version, namespace, plural, name, subresource: subresource.join('/') };
  return { kind: 'resource', path };
}

function splitNamespace(segments: readonly string[]): [namespace: string, rest: readonly string[]] {
  const [first, namespace, third] = segments;
  const isScope = first === 'namespaces' && namespace !== undefined && third !== undefined;
  if (!isScope || namespaceSubresources.has(third)) return ['', segments];
  return [namespace, segments.slice(2)];
}
