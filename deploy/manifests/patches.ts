import type { Json, JsonObject } from '#shared/domain/objects.ts';

interface Workload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [{ readonly env?: readonly { readonly name: string }[] }];
      };
    };
  };
}

/**
 * Other values for variables that containers have. By their place in the list: kustomize merges lists by
 * name for built-in kinds alone, and a Knative Service is none.
 */
export function environmentPatches(
  workloads: readonly JsonObject[],
  values: Readonly<Record<string, string>>,
): readonly JsonObject[] {
  return workloads.flatMap((object) => {
    const { apiVersion, kind, metadata, spec } = object as unknown as Workload;
    if (kind === 'Service' && apiVersion === 'v1') return [];
    const { env = [] } = spec.template.spec.containers[0];
    const changes: Json[] = env.flatMap(({ name }, index) => {
      const value = values[name];
      if (value === undefined) return [];
      const path = `/spec/template/spec/containers/0/env/${index}/value`;
      return [{ op: 'replace', path, value }];
    });
    if (changes.length === 0) return [];
    const group = apiVersion.split('/')[0] ?? '';
    return [{ target: { group, kind, name: metadata.name }, patch: JSON.stringify(changes) }];
  });
}
