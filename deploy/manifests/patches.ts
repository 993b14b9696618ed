import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '#shared/domain/objects.ts';

interface Named extends JsonObject {
  readonly name: string;
}

interface Workload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [{ readonly env?: readonly Named[] }];
        readonly volumes?: readonly Named[];
      };
    };
  };
}

/**
 * New values for existing variables of containers. They are patched by position, because kustomize merges lists by
 * name only for built-in kinds, and a Knative Service is not one.
 */
export function environmentPatches(
  workloads: readonly JsonObject[],
  values: Readonly<Record<string, string>>,
): readonly JsonObject[] {
  return workloads.filter(isWorkload).flatMap((object) => {
    const { env = [] } = podOf(object).containers[0];
    return patchOf(
      object,
      env.flatMap(({ name }, index) => {
        const value = values[name];
        return value === undefined ? [] : [replacing(`${environmentPath}/${index}/value`, value)];
      }),
    );
  });
}

/** Variables and volumes that differ in the same workloads of another installation, without added ones. */
export function changedEntries(
  from: readonly JsonObject[],
  to: readonly JsonObject[],
): readonly JsonObject[] {
  const after = to.filter(isWorkload);
  return from.filter(isWorkload).flatMap((object, at) => {
    const [before, then] = [podOf(object), podOf(after[at] ?? object)];
    const changed = (path: string, old: readonly Named[], now: readonly Named[]): Json[] =>
      now
        .slice(0, old.length)
        .flatMap((entry, index) =>
          isDeepStrictEqual(entry, old[index]) ? [] : [replacing(`${path}/${index}`, entry)],
        );
    return patchOf(object, [
      ...changed(environmentPath, before.containers[0].env ?? [], then.containers[0].env ?? []),
      ...changed('/spec/template/spec/volumes', before.volumes ?? [], then.volumes ?? []),
    ]);
  });
}

const environmentPath = '/spec/template/spec/containers/0/env';

/** Services that select Pods have no Pod template. */
function isWorkload({ kind, apiVersion }: JsonObject): boolean {
  return kind !== 'Service' || apiVersion !== 'v1';
}

function podOf(object: JsonObject): Workload['spec']['template']['spec'] {
  return (object as unknown as Workload).spec.template.spec;
}

function replacing(path: string, value: Json): Json {
  return { op: 'replace', path, value };
}

function patchOf(object: JsonObject, operations: readonly Json[]): readonly JsonObject[] {
  if (operations.length === 0) return [];
  const { apiVersion, kind, metadata } = object as unknown as Workload;
  const group = apiVersion.split('/')[0] ?? '';
  return [{ target: { group, kind, name: metadata.name }, patch: JSON.stringify(operations) }];
}
