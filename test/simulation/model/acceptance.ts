/** Whether a stored flow can be run (rule 19), for what the simulation stores. */
import type { FlowStep, JobFlow } from '#shared/api/job-flow.ts';

/** Why not, as the reported reason. */
export function acceptanceOf({ spec }: JobFlow): string | undefined {
  const steps: readonly unknown[] = spec.flows;
  if (steps.length === 0 || !steps.every(isStep)) return 'InvalidSpec';
  const names = new Set(steps.map(({ name }) => name));
  const isKnown = steps.every(({ dependencies = [] }) =>
    dependencies.every((name) => names.has(name)),
  );
  if (names.size < steps.length || !isKnown) return 'InvalidSpec';
  return hasOrder(steps) ? undefined : 'CycleDetected';
}

/** Every step comes after its dependencies, in some order. */
function hasOrder(steps: readonly FlowStep[]): boolean {
  const placed = new Set<string>();
  for (let size = -1; size < placed.size;) {
    size = placed.size;
    for (const { name, dependencies = [] } of steps) {
      if (dependencies.every((dependency) => placed.has(dependency))) placed.add(name);
    }
  }
  return placed.size === steps.length;
}

function isStep(step: unknown): step is FlowStep {
  const { name, jobTemplate, jobTemplateRef } = Object(step) as Partial<FlowStep>;
  const { containers } = Object(jobTemplate?.template.spec) as { readonly containers?: unknown };
  const hasOne = (jobTemplate === undefined) !== (jobTemplateRef === undefined);
  return (
    typeof name === 'string' && hasOne && (jobTemplate === undefined || Array.isArray(containers))
  );
}
