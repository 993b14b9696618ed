import type { Resource } from '#shared/domain/objects.ts';
import type { KubeClient, WatchEvent, WatchOptions } from '#shared/kube/client.ts';

type Change = Exclude<WatchEvent, { readonly type: 'BOOKMARK' }>;

/**
 * Every change after `resourceVersion` until `signal` aborts. The server ends a watch that reads too
 * slowly in a burst; it resumes where it ended.
 */
export async function* endlessWatch(
  client: KubeClient,
  resource: Resource,
  options: Omit<WatchOptions, 'timeoutSeconds'>,
): AsyncGenerator<Change, void> {
  let { resourceVersion } = options;
  while (!options.signal.aborted) {
    const watch = client.watch(resource, { ...options, resourceVersion, timeoutSeconds: 3_000 });
    for await (const event of watch) {
      if (event.type === 'BOOKMARK') resourceVersion = event.resourceVersion;
      else {
        resourceVersion = event.object.metadata.resourceVersion;
        yield event;
      }
    }
  }
}
