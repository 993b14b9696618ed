/** A hint if `kubectl apply` writes more into an annotation than the API server accepts. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { annotationsOf } from './submission.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
/** Limit for keys and values of all annotations together (apimachinery TotalAnnotationSizeLimitB). */
const mostBytes = 256 * 1024;

/** The API server refuses such an object in its own words, after it has called the webhooks. */
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
