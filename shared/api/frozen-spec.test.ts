import { describe, expect, it } from 'vitest';
import { applyMergePatch } from '#shared/domain/merge-patch.ts';
import type { Json } from '#shared/domain/objects.ts';
import { changedFrozenFields, frozenHash } from './frozen-spec.ts';
import type { JobFlowSpec } from './job-flow.ts';
import { updateFaults } from './job-flow-rules.ts';
import { frozenChanges, openChanges, startedSpec } from './testing/frozen-cases.ts';

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

  it('names each frozen field that it changes', () => {
    const next = changed({ templatePolicy: 'ResolveAtStep', shareVolumes: null, suspend: true });
    expect(changedFrozenFields(before, next)).toEqual(['shareVolumes', 'templatePolicy']);
  });
});
