import type { StepPicture } from './flow-picture.ts';

export interface TreeStep {
  readonly step: StepPicture;
  /** For each level above the step, whether its line continues there. The last one is the step's own. */
  readonly branches: readonly boolean[];
}

/**
 * Turns a directed graph into a tree. Each step is placed below its deepest dependency, so that all its dependencies
 * are above it. Pure. Keeps the order of the flow.
 */
export function treeOf(steps: readonly StepPicture[]): readonly TreeStep[] {
  const parents = parentsOf(steps);
  const below = (parent: string | undefined, above: readonly boolean[]): readonly TreeStep[] => {
    const children = steps.filter(({ name }) => parents.get(name) === parent);
    return children.flatMap((step, index) => {
      const branches = [...above, index < children.length - 1];
      return [{ step, branches }, ...below(step.name, branches)];
    });
  };
  return below(undefined, []);
}

/** Steps without dependencies have no parent, nor have steps on a cycle, which is refused anyway. */
function parentsOf(steps: readonly StepPicture[]): ReadonlyMap<string, string | undefined> {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const depths = new Map<string, number>();
  const depthOf = (name: string): number => {
    const known = depths.get(name);
    if (known !== undefined) return known;
    depths.set(name, Number.POSITIVE_INFINITY);
    const dependencies = byName.get(name)?.dependencies ?? [];
    const depth = Math.max(-1, ...dependencies.map(depthOf)) + 1;
    depths.set(name, depth);
    return depth;
  };
  return new Map(
    steps.map(({ name, dependencies }) => {
      const deepest = [...dependencies].sort((left, right) => depthOf(right) - depthOf(left))[0];
      const isSound = Number.isFinite(depthOf(name)) && byName.has(deepest ?? '');
      return [name, isSound ? deepest : undefined];
    }),
  );
}
