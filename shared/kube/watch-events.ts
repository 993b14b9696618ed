import { asResourceVersion, type Resource } from '#shared/domain/objects.ts';
import { unreachable, watchError, type RequestLabel } from './api-error.ts';
import { asUnreachable } from './broken-connection.ts';
import type { WatchEvent } from './client.ts';
import { linesOf } from './watch-lines.ts';
import { fieldsOf, jsonFromWire, objectFromWire, Unparsable } from './wire-object.ts';

/**
 * The events in the bytes of a watch. Throws as KubeClient.watch promises: an ERROR event as its
 * Status says, MR_API_UNREACHABLE for a broken or invalid stream.
 */
export async function* watchEvents(
  chunks: AsyncIterable<Buffer>,
  resource: Resource,
  label: RequestLabel,
): AsyncGenerator<WatchEvent, void> {
  try {
    for await (const line of linesOf(chunks)) yield eventFromLine(line, resource, label);
  } catch (error) {
    if (error instanceof Unparsable) throw unreachable(label, error.message, error);
    throw asUnreachable(label, error);
  }
}

function eventFromLine(line: string, resource: Resource, label: RequestLabel): WatchEvent {
  const { type, object } = fieldsOf(jsonFromWire(line), 'watch event');
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: objectFromWire(object, resource) };
    case 'BOOKMARK':
      return { type, resourceVersion: bookmarkVersion(object) };
    case 'ERROR':
      throw watchError(label, object);
    default:
      throw new Unparsable(`watch event of type ${JSON.stringify(type)}`);
  }
}

function bookmarkVersion(object: unknown): ReturnType<typeof asResourceVersion> {
  const { resourceVersion } = fieldsOf(
    fieldsOf(object, 'bookmark')['metadata'],
    'bookmark metadata',
  );
  if (typeof resourceVersion !== 'string') throw new Unparsable('bookmark without resourceVersion');
  return asResourceVersion(resourceVersion);
}
