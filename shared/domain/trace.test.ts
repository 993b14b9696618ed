import { expect, it } from 'vitest';
import { labels } from './labels.ts';
import { nameOfTrace, traceOf } from './trace.ts';

it('the Jobs of two machines of one name have different traces', () => {
  const ofMachine = (uid: string) => traceOf({ name: 'wipe-a', labels: { [labels.nodeUid]: uid } });
  expect(ofMachine('1')).toBe('wipe-a/1');
  expect(ofMachine('2')).toBe('wipe-a/2');
});

it('is the name of what is for no machine', () => {
  expect(traceOf({ name: 'etl-a' })).toBe('etl-a');
  expect(traceOf({ name: 'etl-a', labels: { app: 'x' } })).toBe('etl-a');
});

it('gives the name back', () => {
  expect(['wipe-a/1', 'etl-a'].map(nameOfTrace)).toEqual(['wipe-a', 'etl-a']);
});
