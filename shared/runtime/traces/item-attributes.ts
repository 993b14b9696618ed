import type { WorkItem } from '#shared/domain/work-item.ts';

/** OpenTelemetry's names if it has any (semantic conventions of Kubernetes). */
export function itemAttributes({ key, cause, function: name }: WorkItem): Record<string, string> {
  return {
    'millrace.function': name,
    'millrace.cause': cause,
    'millrace.object.kind': key.kind,
    'millrace.object.name': key.name,
    'millrace.object.uid': key.uid,
    ...(key.namespace === '' ? {} : { 'k8s.namespace.name': key.namespace }),
  };
}
