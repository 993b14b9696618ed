/** Writes a graph for other programs: Mermaid and DOT. Pure. */
import type { FlowGraph } from './flow-graph.ts';
import { fillOf } from './fills.ts';

/** A Mermaid flowchart, which GitHub and GitLab can draw. */
export function mermaidOf({ nodes, edges }: FlowGraph): string {
  const ids = idsOf(nodes);
  const states = [...new Set(nodes.flatMap(({ state }) => state ?? []))];
  const label = (text: string): string =>
    text.replaceAll('&', '#amp;').replaceAll('"', '#quot;').replaceAll('<', '#lt;');
  return [
    'flowchart TD',
    ...nodes.map(({ name, state }) => {
      const words = state === undefined ? label(name) : `${label(name)}<br/>${state}`;
      return `  ${ids.get(name) ?? ''}["${words}"]${state === undefined ? '' : `:::${state}`}`;
    }),
    ...edges.map(([from, to]) => `  ${ids.get(from) ?? ''} --> ${ids.get(to) ?? ''}`),
    ...states.map((state) => `  classDef ${state} fill:${fillOf(state)},color:#111,stroke:#444`),
    '',
  ].join('\n');
}

/** DOT, which Graphviz can draw. */
export function dotOf({ name, nodes, edges }: FlowGraph): string {
  const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  return [
    `digraph ${quoted(name)} {`,
    '  node [shape=box, style="rounded,filled", fontname="sans-serif"]',
    ...nodes.map((node) => {
      const { state } = node;
      const words = state === undefined ? quoted(node.name) : quoted(`${node.name}\n${state}`);
      return `  ${quoted(node.name)} [label=${words.replaceAll('\n', String.raw`\n`)}, fillcolor="${fillOf(state)}"]`;
    }),
    ...edges.map(([from, to]) => `  ${quoted(from)} -> ${quoted(to)}`),
    '}',
    '',
  ].join('\n');
}

/** Names of steps may be words of Mermaid, such as `end`. */
function idsOf(nodes: FlowGraph['nodes']): ReadonlyMap<string, string> {
  return new Map(nodes.map(({ name }, index) => [name, `s${index}`]));
}
