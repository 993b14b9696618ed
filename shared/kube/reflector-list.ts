import type { WaitingClock } from '#shared/domain/clock.ts';
import { hasCode, MillraceError } from '#shared/domain/errors.ts';
import { apiPath, type Resource } from '#shared/domain/objects.ts';
import { underEither } from '#shared/domain/under-either.ts';
import type { KubeClient, KubeList, ListOptions } from './client.ts';

export interface ListRequest {
  readonly client: KubeClient;
  readonly clock: WaitingClock;
  readonly resource: Resource;
  readonly scope: Pick<ListOptions, 'namespace' | 'labelSelector'>;
  readonly pageLimit: number;
  readonly pageTimeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * The complete list at one version, page by page. If its snapshot is compacted away between two
 * pages (410), everything is listed once more without pages, which cannot expire. Throws MR_API_*
 * as the client does; an abort rejects.
 */
export async function listEverything(request: ListRequest): Promise<KubeList> {
  try {
    return await listPaged(request);
  } catch (error) {
    if (!hasCode(error, 'MR_API_GONE')) throw error;
    return await listPage(request, {});
  }
}

async function listPaged(request: ListRequest): Promise<KubeList> {
  const first = await listPage(request, { limit: request.pageLimit });
  const items = [...first.items];
  let next = first.continue;
  while (next !== undefined) {
    const page = await listPage(request, { limit: request.pageLimit, continue: next });
    for (const item of page.items) items.push(item);
    next = page.continue;
  }
  // The first page's version: all pages show that snapshot, so the watch skips nothing.
  return { resourceVersion: first.resourceVersion, items };
}

async function listPage(
  { client, clock, resource, scope, pageTimeoutMs, signal }: ListRequest,
  page: Pick<ListOptions, 'limit' | 'continue'>,
): Promise<KubeList> {
  signal.throwIfAborted();
  const late = (): MillraceError =>
    new MillraceError('MR_API_UNREACHABLE', {
      verb: 'list',
      path: apiPath(resource, scope.namespace),
      detail: `no page within ${pageTimeoutMs} ms`,
    });
  const tooLong = new AbortController();
  const answered = new AbortController();
  void clock.sleep(pageTimeoutMs, answered.signal).then(() => {
    if (!answered.signal.aborted) tooLong.abort(late());
  });
  try {
    return await underEither([signal, tooLong.signal], (either) =>
      client.list(resource, { ...scope, ...page, signal: either }),
    );
  } finally {
    answered.abort();
  }
}
