import type { Request } from './audit-window.ts';
import type { Shape } from './flow-shapes.ts';

/**
 * For each step with dependencies: from the commit of the last parent's Complete to the commit of
 * the child's create. In milliseconds, by the audit log's own stamps. Names of steps have no dash.
 */
export function advanceLatencies(requests: readonly Request[], shape: Shape): readonly number[] {
  const completed = new Map<string, number>();
  const created = new Map<string, number>();
  for (const request of requests) {
    if (request.resource !== 'jobs') continue;
    const key = `${request.namespace}/${request.name}`;
    if (request.subresource === 'status' && request.code === 200) {
      if (!completed.has(key)) completed.set(key, request.completedMs);
    } else if (isCreatedJob(request)) {
      created.set(key, request.completedMs);
    }
  }
  return [...created].flatMap(([key, createdMs]) => {
    const dash = key.lastIndexOf('-');
    const parents = shape[key.slice(dash + 1)] ?? [];
    if (parents.length === 0) return [];
    const flow = key.slice(0, dash + 1);
    const times = parents.map((parent) => completed.get(`${flow}${parent}`) ?? Number.NaN);
    return [createdMs - Math.max(...times)];
  });
}

/** Counts by `kind verb/subresource` for requests whose user agent starts with `prefix`. */
export function countRequests(
  requests: readonly Request[],
  prefix: string,
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const request of requests) {
    if (!request.userAgent.startsWith(prefix)) continue;
    const part = /\(([^)]+)\)/.exec(request.userAgent)?.[1] ?? request.userAgent;
    const what = [request.resource, request.subresource].filter(Boolean).join('/');
    const key = `${part}: ${request.verb} ${what}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

/** Jobs with more than one successful create; must be empty. */
export function duplicateCreates(requests: readonly Request[]): readonly string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { namespace, name } of requests.filter(isCreatedJob)) {
    const key = `${namespace}/${name}`;
    if (seen.has(key)) twice.add(key);
    seen.add(key);
  }
  return [...twice];
}

export function createdJobs(requests: readonly Request[]): number {
  return requests.filter(isCreatedJob).length;
}

function isCreatedJob({ resource, verb, code, isDryRun }: Request): boolean {
  return resource === 'jobs' && verb === 'create' && code === 201 && !isDryRun;
}
