import type { StepPicture } from './flow-picture.ts';

export interface TreeStep {
  readonly step: StepPicture;
  /** For each level above it, whether a line goes on there; the last is its own. */
  readonly branches: readonly boolean[];
}

/**
 * A directed graph as a tree: each step hangs below the dependency that is deepest, so that whatever
 * a step waits for stands above it. Pure; keeps the order of the flow.
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

/** Steps without dependencies have none. Steps on a cycle, which is refused anyway, hang at the top. */
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
