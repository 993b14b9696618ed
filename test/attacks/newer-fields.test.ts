import { expect, it } from 'vitest';
import { flow, job, snapshot, step } from '#functions/flow-advance/testing/builders.ts';
import { decided } from '#functions/flow-advance/testing/decided.ts';
import { applyMergePatch } from '#shared/domain/merge-patch.ts';

it('#51 leaves status fields that only a newer version knows as they are', () => {
  const steps = [step('a'), step('b', { after: ['a'] })];
  const first = decided(snapshot(flow(steps))).status;
  const newer = { ...first, future: { kept: true } } as typeof first;
  const jobs = [job('a', 'complete')];
  const { decision } = decided(snapshot(flow(steps, { status: newer }), { jobs }), 1);
  const [patch] = decision.plan.flat().filter(({ kind }) => kind === 'patchStatus');
  expect(patch?.kind).toBe('patchStatus');
  if (patch?.kind !== 'patchStatus') return;
  expect(applyMergePatch(newer, patch.status)).toMatchObject({ future: { kept: true } });
});
