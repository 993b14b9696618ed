import { expect, test } from 'vitest';
import type { FlowStep } from '#shared/api/job-flow.ts';
import { outputFaults } from '../testing/output-shape.ts';
import { svgOf } from './draw-svg.ts';
import { dotOf, mermaidOf } from './draw-text.ts';
import { graphOf, upToStep } from './flow-graph.ts';

const jobTemplate = { template: { spec: { containers: [{ name: 'main', image: 'busybox' }] } } };
const flows = [
  { name: 'end', jobTemplate },
  { name: 'load', dependencies: ['end'], jobTemplate },
  { name: 'report', dependencies: ['end', 'load'], jobTemplate },
] as unknown as readonly FlowStep[];
const plan = graphOf({ metadata: { name: 'a"<b' }, spec: { flows } });
const running = graphOf({
  metadata: { name: 'f' },
  spec: { flows },
  status: { jobStatusList: [{ name: 'end', state: 'Succeed' }] },
});

test('a graph has a node for each step and an edge for each dependency', () => {
  expect(plan.nodes).toEqual([{ name: 'end' }, { name: 'load' }, { name: 'report' }]);
  expect(plan.edges).toEqual([
    ['end', 'load'],
    ['end', 'report'],
    ['load', 'report'],
  ]);
  expect(running.nodes.map(({ state }) => state)).toEqual(['Succeed', 'Waiting', 'Waiting']);
});

test('the graph up to a step has all that has to succeed before it', () => {
  const flow = {
    metadata: { name: 'f' },
    spec: { flows },
    status: { jobStatusList: [{ name: 'end', state: 'Succeed' as const }] },
  };
  expect(graphOf(upToStep(flow, 'load'))).toEqual({
    name: 'f/load',
    nodes: [
      { name: 'end', state: 'Succeed' },
      { name: 'load', state: 'Waiting' },
    ],
    edges: [['end', 'load']],
  });
  expect(() => upToStep(flow, 'laod')).toThrow('JobFlow f has no step laod; did you mean load?');
});

test('as JSON a graph has the published shape', () => {
  const faults = outputFaults('graph');
  for (const graph of [plan, running]) {
    expect(faults(JSON.parse(JSON.stringify(graph)))).toEqual([]);
  }
});

test('Mermaid gets ids of its own: a step may be called as one of its words', () => {
  expect(mermaidOf(plan).split('\n')).toEqual([
    'flowchart TD',
    '  s0["end"]',
    '  s1["load"]',
    '  s2["report"]',
    '  s0 --> s1',
    '  s0 --> s2',
    '  s1 --> s2',
    '',
  ]);
  expect(mermaidOf(running)).toContain('  s0["end<br/>Succeed"]:::Succeed\n');
});

test('DOT quotes every name', () => {
  expect(dotOf(plan)).toContain(String.raw`digraph "a\"<b" {`);
  expect(dotOf(running)).toContain(String.raw`"end" [label="end\nSucceed", fillcolor="#c8e6c9"]`);
  expect(dotOf(plan)).toContain('  "load" -> "report"\n');
});

test('the SVG shows each step once, those that wait below those that they wait for', () => {
  const svg = svgOf(running);
  const heightOf = (step: string): number =>
    Number(new RegExp(` y="([\\d.]+)"[^>]*>${step}</text>`).exec(svg)?.[1]);
  expect(svg.match(/<rect /g)).toHaveLength(3);
  expect(svg.match(/marker-end=/g)).toHaveLength(3);
  expect(heightOf('end')).toBeLessThan(heightOf('load'));
  expect(heightOf('load')).toBeLessThan(heightOf('report'));
  expect(svgOf(plan)).toContain('<title>a&quot;&lt;b</title>');
});
