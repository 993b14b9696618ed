import type { JobFlow } from '#shared/api/job-flow.ts';
import type { JobTemplateObject } from '#shared/api/job-template.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { Templates } from '../kinds/queued-kind.ts';

/** The JobTemplates that a flow names and has not pinned. */
export async function templatesOf(object: KubeObject, reader: Reader): Promise<Templates> {
  const { metadata, spec, status } = object as unknown as JobFlow;
  const { namespace = '' } = metadata;
  const pinned = new Set((status?.pinnedTemplates ?? []).map(({ name }) => name));
  const names = new Set(spec.flows.flatMap(({ jobTemplateRef }) => jobTemplateRef ?? []));
  const wanted = [...names].filter((name) => !pinned.has(name));
  const found = await Promise.all(
    wanted.map(async (name): Promise<readonly [string, JsonObject | null]> => {
      const template = await reader.get(resources.JobTemplate, { namespace, name });
      return [name, template === undefined ? null : jobTemplateOf(template)];
    }),
  );
  return Object.fromEntries(found);
}

/** The CRD requires it. */
function jobTemplateOf(object: KubeObject): JsonObject {
  return (object as JobTemplateObject).spec.jobTemplate;
}
