import { execFileSync } from 'node:child_process';
import { describe, expect, it, test } from 'vitest';
import { findProgram } from '../up/find-program.ts';
import { JsonPathFault, parseJsonPath } from './json-path.ts';

const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', labels: { 'x.y/z': '1' }, annotations: { n: '2' } },
  list: [
    { t: 'A', n: 1, ok: true },
    { t: 'B', n: 2.5, ok: false },
    { t: 'C', n: 10 },
  ],
  data: { k: 'v', o: 'w' },
  nul: null,
};

/** Templates and their output, which is also that of kubectl. */
const table = [
  ['{.metadata.name}', 'a'],
  ['{$.metadata.name}', 'a'],
  ['{@.kind}', 'ConfigMap'],
  ["{['metadata'].name}", 'a'],
  ['metadata.name', 'metadata.name'],
  ['x {.metadata.name} y', 'x a y'],
  ['{.kind}{" "}{.metadata.name}{"\\n"}', 'ConfigMap a\n'],
  ['{.list[*].t}', 'A B C'],
  ['{.list[0].t}', 'A'],
  ['{.list[-1].t}', 'C'],
  ['{.list[0,2].t}', 'A C'],
  ['{.list[0:2].t}', 'A B'],
  ['{.list[:2].t}', 'A B'],
  ['{.list[-2:].t}', 'B C'],
  ['{.list[0:3:2].t}', 'A C'],
  ['{.list[0]}', '{"n":1,"ok":true,"t":"A"}'],
  ['{.list[*].n}', '1 2.5 10'],
  ['{.list[*].ok}', 'true false'],
  ['{.data}', '{"k":"v","o":"w"}'],
  ["{.data['k','o']}", 'v w'],
  ['{.metadata.labels.x\\.y/z}', '1'],
  ["{.metadata.labels['x\\.y/z']}", '1'],
  ['{.metadata..n}', '2'],
  ['{..t}', 'A B C'],
  ['{.nul}', 'null'],
  ['{.missing}', ''],
  ['{.list.t}', ''],
  ['{.list[0].t.x}', ''],
  ['{.list[?(@.t=="B")].n}', '2.5'],
  ["{.list[?(@.t!='B')].t}", 'A C'],
  ['{.list[?(@.ok==true)].t}', 'A'],
  ['{.list[?(@.ok)].t}', 'A B'],
  ['{.list[?(@.missing==1)].t}', ''],
  ['{range .list[*]}{.t}{"\\t"}{.n}{"\\n"}{end}', 'A\t1\nB\t2.5\nC\t10\n'],
] as const;

describe('a template prints what it names', () => {
  it.each(table)('%s', (template, text) => {
    expect(parseJsonPath(template)(object)).toBe(text);
  });
});

const kubectl = await findProgram('kubectl', process.env['PATH']);

test.skipIf(kubectl === undefined)('kubectl prints the same', { timeout: 120_000 }, () => {
  // One call for all, with a separator that none of them prints.
  const template = table.map(([each]) => each).join('|||');
  const args = [
    'annotate',
    '--local',
    '-f',
    '-',
    'n=2',
    '--overwrite',
    '-o',
    `jsonpath=${template}`,
  ];
  const printed = execFileSync(kubectl ?? '', args, {
    input: JSON.stringify(object),
    encoding: 'utf8',
  });
  expect(printed.split('|||')).toEqual(table.map(([, text]) => text));
});

test('numbers are compared as numbers (jsonpath-3)', () => {
  expect(parseJsonPath('{.list[?(@.n>2)].t}')(object)).toBe('B C');
  expect(parseJsonPath('{.list[?(@.n<=2.5)].t}')(object)).toBe('A B');
});

test('an index beyond the end finds nothing (jsonpath-2)', () => {
  expect(parseJsonPath('{.list[9].t}')(object)).toBe('');
});

test('what stands in a prototype is no field', () => {
  expect(parseJsonPath('{.constructor}{.data.toString}')(object)).toBe('');
});

describe('a template that cannot be read is refused with the place', () => {
  it.each([
    ['{', /a path begins with a dot at the end/],
    ['{.list[}', /an index, a slice or a quoted name is missing at "}"/],
    ['{.list[0}', /] is missing at "}"/],
    ['{.list[0:1:0]}', /above 0/],
    ['{.a', /^} is missing at the end/],
    ['{.a.b {.c}', /a path begins with a dot at "{\.c}"/],
    ['{a}', /a path begins with a dot at "a}"/],
    ['{end}', /without a {range}/],
    ['{range .list[*]}x', /{end} of a {range} is missing at the end/],
    ['{.list[?(@.t=~"A")]}', /\) is missing at "=~"A"\)]}"/],
  ])('%s', (template, message) => {
    expect(() => parseJsonPath(template)).toThrow(JsonPathFault);
    expect(() => parseJsonPath(template)).toThrow(message);
  });
});
