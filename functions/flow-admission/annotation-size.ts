/** What helps where `kubectl apply` writes more into an annotation than the API server takes. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { annotationsOf } from './submission.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
/** Keys and values of all annotations together (apimachinery TotalAnnotationSizeLimitB). */
const mostBytes = 256 * 1024;

/** The API server refuses such an object in words of its own, and only after it was asked for hints. */
export function hintsOnAnnotations(object: JsonObject): readonly string[] {
  const annotations = annotationsOf(object);
  if (ownMember(annotations, lastApplied) === undefined) return [];
  const texts = Object.entries(annotations)
    .flat()
    .filter((text) => typeof text === 'string');
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes <= mostBytes) return [];
  return [
    'metadata.annotations: kubectl apply keeps a copy of the manifest in an annotation, and this manifest does not fit there; use kubectl apply --server-side, which keeps no copy',
  ];
}
