import { kinds } from '#functions/list.ts';
import { customResourceDefinition } from '#shared/api/custom-resource-definition.ts';
import { manifestStream } from '#shared/api/manifest-stream.ts';

/** The CustomResourceDefinitions of our kinds as one YAML stream. */
export function renderCrds(): string {
  return manifestStream(kinds.map(customResourceDefinition));
}
