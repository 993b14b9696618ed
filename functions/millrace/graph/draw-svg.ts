/** Draws a graph as a self-contained SVG: no script, no font, no style sheet. */
import * as library from '@dagrejs/dagre';
import { fillOf } from './fills.ts';
import type { FlowGraph } from './flow-graph.ts';

const nodeHeight = 40;
const margin = 16;
/** Upper estimate for a letter at 14 px. */
const letterWidth = 8;

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** The parts of the library that are used. Its own types import without extensions, which tsconfig.json rejects. */
interface Dagre {
  readonly graphlib: { readonly Graph: new () => LaidOut };
  readonly layout: (graph: LaidOut) => void;
}

interface LaidOut {
  setGraph(options: Readonly<Record<string, string | number>>): void;
  setDefaultEdgeLabel(label: () => object): void;
  setNode(name: string, size: Pick<Box, 'width' | 'height'>): void;
  setEdge(from: string, to: string): void;
  graph(): Partial<Pick<Box, 'width' | 'height'>>;
  node(name: string): Box;
  edge(from: string, to: string): { readonly points: readonly Point[] };
}

const { graphlib, layout } = (library as unknown as { readonly default: Dagre }).default;

export function svgOf({ name, nodes, edges }: FlowGraph): string {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: 24, ranksep: 36, marginx: margin, marginy: margin });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { name: node, state = '' } of nodes) {
    const letters = Math.max(node.length, state.length);
    graph.setNode(node, { width: letters * letterWidth + 24, height: nodeHeight });
  }
  for (const [from, to] of edges) graph.setEdge(from, to);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" height="${round(height)}" font-family="sans-serif" font-size="14" role="img">`,
    `<title>${escaped(name)}</title>`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><polygon points="0,0 8,4 0,8" fill="#666"/></marker></defs>',
    ...edges.map(([from, to]) => line(graph.edge(from, to).points)),
    ...nodes.map(({ name: node, state }) => box(node, state, graph.node(node))),
    '</svg>',
    '',
  ].join('\n');
}

function line(points: readonly Point[]): string {
  const path = points.map(({ x, y }) => `${round(x)} ${round(y)}`).join(' L');
  return `<path d="M${path}" fill="none" stroke="#666" marker-end="url(#arrow)"/>`;
}

function box(name: string, state: string | undefined, { x, y, width, height }: Box): string {
  const at = `x="${round(x - width / 2)}" y="${round(y - height / 2)}" width="${round(width)}" height="${round(height)}"`;
  const rows =
    state === undefined ? [[name, 5] as const] : [[name, -3] as const, [state, 14] as const];
  const words = rows.map(
    ([text, down], row) =>
      `<text x="${round(x)}" y="${round(y + down)}" text-anchor="middle" fill="#111"${row === 1 ? ' font-size="11"' : ''}>${escaped(text)}</text>`,
  );
  return `<rect ${at} rx="6" fill="${fillOf(state)}" stroke="#444"/>${words.join('')}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
