/** Directed graphs of named nodes. An edge points from a node to its dependency. */

/** Each node with its dependencies, in a fixed order. Targets that are not nodes are ignored. */
export type Edges = ReadonlyMap<string, readonly string[]>;

/** A graph that can be walked both ways, so that one completion costs its out-degree. */
export interface Dag {
  readonly dependencies: Edges;
  /** Each node with the nodes that depend on it, in node order. */
  readonly dependants: Edges;
}

export function compileDag(dependencies: Edges): Dag {
  const dependants = new Map<string, string[]>();
  for (const node of dependencies.keys()) dependants.set(node, []);
  for (const [node, targets] of dependencies) {
    for (const target of targets) dependants.get(target)?.push(node);
  }
  return { dependencies, dependants };
}

/**
 * Every node that depends on one of `roots`, directly or not. A root is included only if it depends on
 * a root itself.
 */
export function descendants(dag: Dag, roots: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...roots];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const dependant of dag.dependants.get(node) ?? []) {
      if (found.has(dependant)) continue;
      found.add(dependant);
      open.push(dependant);
    }
  }
  return found;
}

/**
 * Every node that one of `roots` depends on, directly or not. The walk stops at nodes that `isKnown`.
 * A root is included only if another root depends on it.
 */
export function ancestors(
  { dependencies }: Pick<Dag, 'dependencies'>,
  roots: Iterable<string>,
  isKnown: (node: string) => boolean,
): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...roots];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const dependency of dependencies.get(node) ?? []) {
      if (found.has(dependency)) continue;
      found.add(dependency);
      if (!isKnown(dependency)) open.push(dependency);
    }
  }
  return found;
}

/**
 * Returns a cycle as a path that ends at its first node (`a, b, c, a`: a depends on b), or undefined.
 * Linear in nodes and edges (Kahn first). The same graph always gives the same path.
 */
export function findCycle(edges: Edges): readonly string[] | undefined {
  const unresolved = withoutAcyclic(edges);
  const first = unresolved.values().next().value;
  return first === undefined ? undefined : cycleFrom(first, edges, unresolved);
}

/**
 * Kahn's algorithm, on numbers instead of names. The nodes that remain lie on a cycle or depend on
 * one.
 */
function withoutAcyclic(edges: Edges): ReadonlySet<string> {
  const names = [...edges.keys()];
  const numbers = new Map(names.map((name, number) => [name, number]));
  const open = new Uint32Array(names.length);
  const dependants: number[][] = names.map(() => []);
  let node = 0;
  for (const targets of edges.values()) {
    for (const target of targets) {
      const number = numbers.get(target);
      if (number === undefined) continue;
      dependants[number]?.push(node);
      open[node] = (open[node] ?? 0) + 1;
    }
    node += 1;
  }
  const resolved = [...open.keys()].filter((number) => open[number] === 0);
  // The loop appends to the list that it iterates over, so the list is also its queue.
  for (const number of resolved) {
    for (const dependant of dependants[number] ?? []) {
      const left = (open[dependant] ?? 0) - 1;
      open[dependant] = left;
      if (left === 0) resolved.push(dependant);
    }
  }
  return new Set(names.filter((_, number) => open[number] !== 0));
}

/** Every unresolved node depends on another one, so following dependencies must reach a node twice. */
function cycleFrom(
  first: string,
  edges: Edges,
  unresolved: ReadonlySet<string>,
): readonly string[] | undefined {
  const path: string[] = [];
  const positions = new Map<string, number>();
  let node: string | undefined = first;
  while (node !== undefined) {
    const position = positions.get(node);
    if (position !== undefined) return rotated(path.slice(position), edges);
    positions.set(node, path.length);
    path.push(node);
    node = edges.get(node)?.find((target) => unresolved.has(target));
  }
  return undefined;
}

function rotated(cycle: readonly string[], edges: Edges): readonly string[] {
  const members = new Set(cycle);
  const first = [...edges.keys()].find((node) => members.has(node)) ?? '';
  const start = cycle.indexOf(first);
  return [...cycle.slice(start), ...cycle.slice(0, start), first];
}
