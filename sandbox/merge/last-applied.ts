/**
 * The annotation of client-side `kubectl apply`, which kubectl's server-side apply takes over.
 * Rules: apimachinery managedfields/internal lastappliedmanager.go and lastappliedupdater.go.
 */
import { isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { compare } from './compare.ts';
import { difference, type FieldSet, nothing } from './field-set.ts';
import type { FieldType } from './field-type.ts';
import { fieldsOf } from './fields-of.ts';
import { goJson } from '../apimachinery/go-text.ts';
import { objectOr, textOr } from '../apimachinery/json-value.ts';
import { UnnamedItem } from './list-key.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** Limit for all annotations together, as the API server has it. */
const maxAnnotationBytes = 256 * 1024;

/** The fields of the live object that are still as kubectl last applied them from the client. */
export function lastAppliedFields(type: FieldType, live: JsonObject): FieldSet {
  const applied = parse(annotationsOf(live)[annotation]);
  if (applied === undefined || applied['apiVersion'] !== live['apiVersion']) return nothing;
  try {
    const { changed, removed } = compare(type, applied, live);
    return difference(difference(fieldsOf(type, applied), changed), removed);
  } catch (error) {
    if (error instanceof UnnamedItem) return nothing;
    throw error;
  }
}

/** `object` with the annotation, if it has one, updated to what is applied now. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const { [annotation]: had, ...others } = annotationsOf(object);
  if (typeof had !== 'string' || had === '') return object;
  const value = `${goJson(withoutAnnotation(applied))}\n`;
  const annotations = { ...others, [annotation]: value };
  const bytes = Object.entries(annotations)
    .map(([key, text]) => key.length + textOr(text).length)
    .reduce((sum, length) => sum + length, 0);
  const kept = bytes > maxAnnotationBytes ? others : annotations;
  return { ...object, metadata: { ...objectOr(object['metadata']), annotations: kept } };
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const metadata = objectOr(applied['metadata']);
  if (metadata['annotations'] === undefined) return applied;
  const annotations = { ...annotationsOf(applied) };
  Reflect.deleteProperty(annotations, annotation);
  return { ...applied, metadata: { ...metadata, annotations } };
}

function annotationsOf(object: JsonObject): JsonObject {
  return objectOr(objectOr(object['metadata'])['annotations']);
}

function parse(text: Json | undefined): JsonObject | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    // Not written by kubectl, so it permits nothing.
    return undefined;
  }
}
