import { expect, it } from 'vitest';
import { governed, own } from './governed-kinds.ts';

const names = (kinds: typeof governed) => kinds.map(({ resource }) => resource.kind).sort();

it('what is suspended as a whole is reviewed, and not the queues that policies stop', () => {
  expect(names(governed)).toEqual(['AppWrapper', 'DaemonJob', 'Job', 'JobFlow']);
});

it('Kueue reviews Jobs by itself', () => {
  expect(names(own)).toEqual(['AppWrapper', 'DaemonJob', 'JobFlow']);
});
