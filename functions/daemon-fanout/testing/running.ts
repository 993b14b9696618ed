import { job } from './builders.ts';

export const running = (...names: readonly string[]) => names.map((name) => job(name, 'running'));
export const onRecord = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, 'Started' as const]));
