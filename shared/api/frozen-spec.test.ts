import { describe, expect, it } from 'vitest';
import { applyMergePatch } from '#shared/domain/merge-patch.ts';
import type { Json } from '#shared/domain/objects.ts';
import {
  changedFrozenFields,
  correctableSteps,
  differingSteps,
  frozenHash,
  stepHashes,
} from './frozen-spec.ts';
import type { JobFlowSpec, JobFlowStatus } from './job-flow.ts';
import { updateFaults } from './job-flow-rules.ts';
import { multiKueue } from './work/managed-by.ts';
import { corrections, frozenChanges, openChanges, startedSpec } from './testing/frozen-cases.ts';

const before = startedSpec as unknown as JobFlowSpec;
const changed = (patch: unknown) =>
  applyMergePatch(before, patch as Json) as unknown as JobFlowSpec;

describe('the hash of what is frozen', () => {
  it.each(frozenChanges)('changes with %s', (_rule, patch) => {
    expect(frozenHash(changed(patch))).not.toBe(frozenHash(before));
  });

  it.each(openChanges)('stays the same with a change of %s', (_rule, patch) => {
    expect(frozenHash(changed(patch))).toBe(frozenHash(before));
  });

  it('is the same with an empty list of dependencies as with none', () => {
    const spec = (fields: object): JobFlowSpec => ({
      flows: [{ name: 'c', ...fields, jobTemplateRef: 'x' }],
    });
    expect(frozenHash(spec({ dependencies: [] }))).toBe(frozenHash(spec({})));
  });

  it('does not depend on the order of dependencies, which are a set', () => {
    const spec = (dependencies: readonly string[]): JobFlowSpec => ({
      flows: [{ name: 'c', dependencies, jobTemplateRef: 'x' }],
    });
    expect(frozenHash(spec(['a', 'b']))).toBe(frozenHash(spec(['b', 'a'])));
  });
});

describe('an update', () => {
  const started = { spec: before, status: { startTime: '2026-11-21T10:00:00Z' } };

  it.each(frozenChanges)('of a started flow is refused: %s', (_rule, patch) => {
    expect(updateFaults(started, { spec: changed(patch) })).not.toEqual([]);
  });

  it.each(frozenChanges)('of a flow that has not started is taken: %s', (_rule, patch) => {
    expect(updateFaults({ spec: before }, { spec: changed(patch) })).toEqual([]);
  });

  it.each([
    ['that has not started', { spec: before }],
    ['that has started', started],
  ])('of a flow %s is refused where it names another controller', (_, flow) => {
    const faults = updateFaults(flow, { spec: changed({ managedBy: multiKueue }) });
    expect(faults.map(({ path }) => path)).toEqual(['spec.managedBy']);
  });

  it('names each frozen field that it changes', () => {
    const next = changed({ templatePolicy: 'ResolveAtStep', shareVolumes: null, suspend: true });
    expect(changedFrozenFields(before, next)).toEqual(['shareVolumes', 'templatePolicy']);
  });
});

describe('a correction of a flow that has started (rule 16)', () => {
  const startTime = '2026-11-21T10:00:00Z';
  const withStatus = (status: unknown) => ({ startTime, ...(status as object) }) as JobFlowStatus;

  it.each(corrections)('of %s', (_rule, status, patch, verdict) => {
    const faults = updateFaults(
      { spec: before, status: applyMergePatch({ startTime }, status as Json) as JobFlowStatus },
      { spec: changed(patch) },
    );
    expect(faults.length > 0 ? 'refused' : 'taken').toBe(verdict);
  });

  it.each(corrections)(
    'of %s is found by the hashes of the steps alone',
    (_rule, status, patch, verdict) => {
      const next = changed(patch);
      const differing = differingSteps(stepHashes(before), stepHashes(next), next.flows);
      const correctable = correctableSteps(withStatus(status));
      const isTaken = differing?.every((name) => correctable.has(name)) === true;
      // The hashes alone refuse a change of dependencies too.
      const isSame =
        verdict === 'taken' || _rule === 'a step that failed, without its dependencies';
      expect(isTaken).toBe(isSame && verdict === 'taken');
    },
  );

  it('says which steps differ, in the order of their names', () => {
    const next = changed({
      flows: startedSpec.flows.map((step) => ({ ...step, startOn: 'Complete' })),
    });
    expect(differingSteps(stepHashes(before), stepHashes(next), before.flows)).toEqual(['a', 'b']);
    expect(differingSteps(stepHashes(before), stepHashes(before), before.flows)).toEqual([]);
  });

  it('knows nothing of hashes that it cannot read', () => {
    const [outline = ''] = stepHashes(before).split(':');
    for (const other of [outline, `${outline}:`, `${outline}:0123`, '']) {
      expect(differingSteps(other, stepHashes(before), before.flows)).toBeUndefined();
    }
  });
});
