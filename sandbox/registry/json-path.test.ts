import { expect, test } from 'vitest';
import { valuesAt } from './json-path.ts';

const object = {
  spec: { 'a.b': 1, list: [{ name: 'x', on: true }, { name: 'y' }] },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
};

test.each([
  ['.spec.list[0].name', ['x']],
  ['.spec.list[-1].name', ['y']],
  ['.spec.list[*].name', ['x', 'y']],
  ['.spec["a.b"]', [1]],
  ["['spec']['a.b']", [1]],
  ['.spec.a\\.b', [1]],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  ['..nonsense', []],
  ['.spec.list[?(@.on==true)].name', ['x']],
  ['.absent.deep', []],
])('%s', (path, values) => {
  expect(valuesAt(object, path)).toEqual(values);
});
