/** The topology request of a podSet, from the annotations of its template (kueue, pkg/podset/topology_request). */
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { kueuePrefix } from '#shared/domain/queue-labels.ts';

type Annotations = Readonly<Record<string, string>>;

/** Undefined: no request. The first of several modes counts, as in Kueue. */
export function topologyRequest(template: JsonObject): JsonObject | undefined {
  const annotations = fieldsOf(fieldsOf(template['metadata'])['annotations']) as Annotations;
  const said = (name: string): string | undefined =>
    ownMember(annotations, `${kueuePrefix}${name}`);
  const [required, preferred] = [
    said('podset-required-topology'),
    said('podset-preferred-topology'),
  ];
  const level = said('podset-slice-required-topology');
  const size = Number(said('podset-slice-size') ?? '');
  const group = said('podset-group-name');
  const request: JsonObject = {
    ...(required !== undefined
      ? { required }
      : preferred !== undefined
        ? { preferred }
        : said('podset-unconstrained-topology') === 'true'
          ? { unconstrained: true }
          : {}),
    ...(level !== undefined && Number.isInteger(size) && size > 0
      ? { podSetSliceRequiredTopology: level, podSetSliceSize: size }
      : {}),
    ...(group !== undefined && (required ?? preferred) !== undefined
      ? { podSetGroupName: group }
      : {}),
  };
  return Object.keys(request).length === 0 ? undefined : request;
}
