import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDag, descendants, findCycle } from './dag.ts';

const edges = (graph: Readonly<Record<string, readonly string[]>>) =>
  new Map(Object.entries(graph));

describe('findCycle', () => {
  it.each([
    ['none in a tree', { a: [], b: ['a'], c: ['a', 'b'] }, undefined],
    ['a self loop', { a: ['a'] }, ['a', 'a']],
    ['two nodes', { a: ['b'], b: ['a'] }, ['a', 'b', 'a']],
    ['three nodes', { a: ['b'], b: ['c'], c: ['a'] }, ['a', 'b', 'c', 'a']],
    ['behind what only depends on it', { x: ['b'], a: ['b'], b: ['c'], c: ['b'] }, ['b', 'c', 'b']],
    ['beside a healthy root', { root: [], a: ['root', 'b'], b: ['a'] }, ['a', 'b', 'a']],
    ['unknown targets are no cycle', { a: ['ghost'] }, undefined],
  ])('finds %s', (_, graph, cycle) => {
    expect(findCycle(edges(graph as Record<string, string[]>))).toEqual(cycle);
  });

  it('follows no path twice: a dense graph of 60 nodes has 2^58 of them, with and without a cycle', () => {
    const names = Array.from({ length: 60 }, (_, index) => `n${index}`);
    const dense = new Map(names.map((name, index) => [name, names.slice(0, index)]));
    const closed = new Map(dense).set('n0', ['n59']);
    expect(findCycle(dense)).toBeUndefined();
    expect(findCycle(closed)).toEqual(['n0', 'n59', 'n0']);
  });

  it('returns a closed walk along edges exactly when the graph has one', () => {
    const graphs = fc.integer({ min: 1, max: 8 }).chain((size) =>
      fc.array(fc.array(fc.nat(size - 1), { maxLength: 3 }), {
        minLength: size,
        maxLength: size,
      }),
    );
    fc.assert(
      fc.property(graphs, (targets) => {
        const graph = new Map(
          targets.map((each, index) => [`n${index}`, each.map((to) => `n${to}`)]),
        );
        const cycle = findCycle(graph);
        const dag = compileDag(graph);
        const isOnCycle = [...graph.keys()].some((node) => descendants(dag, [node]).has(node));
        expect(cycle !== undefined).toBe(isOnCycle);
        if (cycle === undefined) return;
        expect(cycle.at(-1)).toBe(cycle[0]);
        expect(new Set(cycle).size).toBe(cycle.length - 1);
        for (const [index, node] of cycle.slice(0, -1).entries()) {
          expect(graph.get(node)).toContain(cycle[index + 1]);
        }
      }),
    );
  });
});

describe('descendants', () => {
  it('are all that depend on the roots at any distance, without the roots', () => {
    const dag = compileDag(edges({ a: [], b: ['a'], c: ['b'], d: [], e: ['c', 'd'] }));
    expect([...descendants(dag, ['a'])].sort()).toEqual(['b', 'c', 'e']);
    expect([...descendants(dag, ['e'])]).toEqual([]);
  });
});
