/** Events about one object. */
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { listed, type Surroundings } from './surroundings.ts';

/** The latest with one of these reasons. Undefined: there is none. */
export async function latestEvent(
  { metadata }: KubeObject,
  reasons: readonly string[],
  around: Surroundings,
): Promise<JsonObject | undefined> {
  // Events about cluster-scoped objects are in the namespace default.
  const { namespace = 'default', uid } = metadata;
  const fieldSelector = `involvedObject.uid=${uid}`;
  const events = await listed(around, resources.Event, namespace, { fieldSelector });
  return events
    .map((event) => fieldsOf(event))
    .filter(({ reason }) => reasons.includes(textOf(reason)))
    .sort((left, right) => (timeOf(left) < timeOf(right) ? -1 : 1))
    .at(-1);
}

function timeOf(event: JsonObject): string {
  return textOf(event['lastTimestamp']) || textOf(event['eventTime']);
}
