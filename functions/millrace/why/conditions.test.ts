import { expect, it } from 'vitest';
import { daemonJob } from '#shared/domain/testing/objects.ts';
import { hasEnded, isOver } from './conditions.ts';

const status = { completionTime: '2026-11-29T06:30:51Z' };
const ended = (spec: object) => {
  const made = daemonJob({ name: 'scan', status });
  return { ...made, spec: { ...(made.spec as object), ...spec } };
};

it('a DaemonJob that never completes is over only once it is shut down', () => {
  expect(hasEnded(ended({ completionPolicy: 'Never' }))).toBe(true);
  expect(isOver(ended({ completionPolicy: 'Never' }))).toBe(false);
  expect(isOver(ended({ completionPolicy: 'Never', shutdown: 'Stop' }))).toBe(true);
  expect(isOver(ended({ completionPolicy: 'Always' }))).toBe(true);
});
