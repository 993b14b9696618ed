/** The Pods that an object of any kind makes. They are found by shape, because the kind may be unknown. */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { type Breach, breachesOf, type PodPolicy } from './pod-policy.ts';

interface FoundTemplate {
  readonly template: JsonObject;
  /** Path of its spec in the object. */
  readonly specAt: string;
  /** Path of its metadata in the object. */
  readonly metadataAt: string;
}

/** No kind nests Pod templates deeper than this; anything deeper is data. */
const deepest = 24;

/** Kueue's objects describe Pods that others create. */
const describesPodsOfOthers = 'kueue.x-k8s.io/';

/** Breaches in all Pods that the object makes. Paths begin at the object. */
export function breachesIn(object: JsonObject, policy: PodPolicy): readonly Breach[] {
  const { apiVersion, kind, spec } = object;
  if (typeof apiVersion === 'string' && apiVersion.startsWith(describesPodsOfOthers)) return [];
  if (apiVersion === 'batch/v1' && kind === 'Job' && isObject(spec)) {
    return breachesOf(spec, policy).map((breach) => ({ ...breach, path: `spec.${breach.path}` }));
  }
  return templatesIn(object, '', 0).flatMap((found) =>
    breachesOf({ template: found.template }, policy).map((breach) => ({
      ...breach,
      path: pathIn(found, breach.path),
    })),
  );
}

/**
 * Where the Pod templates are in the object: parts with a Pod spec, with or without metadata. Empty: the object itself.
 */
export function podTemplatePaths(object: JsonObject): readonly string[] {
  return templatesIn(object, '', 0).flatMap(({ specAt, metadataAt }) =>
    specAt === metadataAt ? [] : [specAt.replace(/\.?spec$/, '')],
  );
}

function pathIn({ specAt, metadataAt }: FoundTemplate, path: string): string {
  return path.replace(/^template\.spec/, specAt).replace(/^template\.metadata/, metadataAt);
}

/** A list of containers marks a Pod spec. The part with it as `spec` is a template. */
function templatesIn(value: Json | undefined, at: string, depth: number): readonly FoundTemplate[] {
  if (depth > deepest) return [];
  if (isList(value)) {
    return value.flatMap((entry, index) => templatesIn(entry, `${at}[${index}]`, depth + 1));
  }
  if (!isObject(value)) return [];
  const { spec } = value;
  if (isPodSpec(spec)) {
    return [{ template: value, specAt: under(at, 'spec'), metadataAt: under(at, 'metadata') }];
  }
  if (isPodSpec(value)) return [{ template: { spec: value }, specAt: at, metadataAt: at }];
  return Object.entries<Json | undefined>(value).flatMap(([name, member]) =>
    depth === 0 && name === 'metadata' ? [] : templatesIn(member, under(at, name), depth + 1),
  );
}

function under(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}

function isPodSpec(value: Json | undefined): value is JsonObject {
  return isObject(value) && isList(value['containers']) && value['containers'].some(isObject);
}
