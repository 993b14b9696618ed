import { kinds } from '#functions/list.ts';
import { manifestStream } from '#shared/api/manifest-stream.ts';
import { servedDefinitions } from '#shared/api/served-definitions.ts';

/** The CustomResourceDefinitions of our kinds and their admission policies as one YAML stream. */
export function renderCrds(): string {
  return manifestStream(servedDefinitions(kinds));
}
