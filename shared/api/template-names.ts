import type { KubeObject } from '#shared/domain/objects.ts';

/** The JobTemplates that a flow names, each once. The stored flow need not be valid. */
export function templateNames({ spec }: KubeObject): readonly string[] {
  const steps: unknown = (spec as { readonly flows?: unknown } | undefined)?.flows;
  if (!Array.isArray(steps)) return [];
  const names = steps.flatMap((step: { readonly jobTemplateRef?: unknown } | null) =>
    typeof step?.jobTemplateRef === 'string' ? [step.jobTemplateRef] : [],
  );
  return [...new Set(names)];
}
