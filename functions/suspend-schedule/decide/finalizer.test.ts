import { expect, it } from 'vitest';
import { omit } from '#shared/domain/omit.ts';
import { policy } from '../testing/builders.ts';
import { finalizer, finalizerPatch, hasFinalizer } from './finalizer.ts';

it('the finalizer keeps its name: one that another version has set would never be removed', () => {
  expect(finalizer).toBe('millrace.dev/suspend-schedule');
});

it('is the only one of a policy that had none', () => {
  const { metadata, ...rest } = policy();
  const bare = { ...rest, metadata: omit(metadata, 'finalizers') };
  expect(hasFinalizer(bare)).toBe(false);
  expect(finalizerPatch(bare, true).patch).toEqual({ metadata: { finalizers: [finalizer] } });
});
