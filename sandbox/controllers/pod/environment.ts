/** The environment of a container, from literal values and the Pod's own fields. */
import type { Container, EnvVar, Pod } from '../objects/pod.ts';

/**
 * Resolves a reference of a variable to outside the Pod (ConfigMap, Secret). Undefined: unknown.
 */
export type Lookup = (variable: EnvVar) => string | undefined;

/** In the order of declaration, with `$(NAME)` of earlier variables expanded (v1.EnvVar). */
export function environmentOf(
  pod: Pod,
  { env = [] }: Container,
  before: ReadonlyMap<string, string> = new Map(),
  lookup: Lookup = () => undefined,
): Map<string, string> {
  const environment = new Map(before);
  for (const variable of env) {
    const { name, value, valueFrom } = variable;
    if (valueFrom === undefined) environment.set(name, expanded(value ?? '', environment));
    else {
      const found = valueFrom.fieldRef
        ? fieldOf(pod, valueFrom.fieldRef.fieldPath)
        : lookup(variable);
      if (found !== undefined) environment.set(name, found);
    }
  }
  return environment;
}

/** command and args as the kubelet passes them to the container. */
export function argvOf(
  { command = [], args = [] }: Container,
  environment: ReadonlyMap<string, string>,
): readonly string[] {
  return [...command, ...args].map((word) => expanded(word, environment));
}

/** Expands `$(NAME)` of a known variable. `$$(NAME)` becomes `$(NAME)`. */
function expanded(text: string, environment: ReadonlyMap<string, string>): string {
  return text.replace(/\$(\$|\(([^()]*)\))/g, (whole, rest: string, name: string | undefined) =>
    rest === '$' ? '$' : (environment.get(name ?? '') ?? whole),
  );
}

/** The downward API's fields (v1.ObjectFieldSelector). */
function fieldOf({ metadata, spec, status }: Pod, path: string): string | undefined {
  const [, map, key] = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path) ?? [];
  if (map === 'labels' || map === 'annotations') return metadata[map]?.[key ?? ''] ?? '';
  switch (path) {
    case 'metadata.name':
      return metadata.name;
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid;
    case 'spec.nodeName':
      return spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? 'default';
    case 'status.podIP':
    case 'status.podIPs':
      return status?.podIP ?? '';
    case 'status.hostIP':
    case 'status.hostIPs':
      return status?.hostIP ?? '';
    default:
      return undefined;
  }
}
