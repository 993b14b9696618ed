import { expect, it } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import { componentName } from './component-name.ts';

const job = (metadata: object) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { ...metadata },
});

it('a name is taken as it is, also beside a generateName', () => {
  expect(componentName(job({ name: 'a', generateName: 'b-' }), asUid('u'), 0)).toBe('a');
});

it('a generated name is the same each time, a DNS label, and another one for each component', () => {
  const named = (index: number) =>
    componentName(job({ generateName: 'a'.repeat(80) }), asUid('u'), index);
  expect(named(0)).toMatch(/^a{53}[0-9a-f]{10}$/);
  expect(named(0)).toBe(named(0));
  expect(named(1)).not.toBe(named(0));
});

it('no two of many wrappers generate the same name', () => {
  const wrappers = Array.from({ length: 20_000 }, (_, index) => asUid(`uid-${index}`));
  const names = wrappers.map((uid) => componentName(job({ generateName: 'a-' }), uid, 0));
  expect(new Set(names).size).toBe(names.length);
});
