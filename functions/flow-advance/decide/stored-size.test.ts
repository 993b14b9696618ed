import { describe, expect, it } from 'vitest';
import type { FlowSnapshot } from '../snapshot.ts';
import {
  flow,
  record,
  snapshot,
  started,
  step,
  template,
  type FlowFields,
} from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

const names = Array.from({ length: 60 }, (_, index) => `template-${index}`);

/** Sixty steps, each of a JobTemplate of its own of so many bytes. */
function sixty(bytes: number, fields: FlowFields = {}): FlowSnapshot {
  const steps = names.map((name, index) => step(`s${index}`, { jobTemplateRef: name }));
  const templates = names.map((name) => [name, { ...template(name), bytes }] as const);
  return snapshot(flow(steps, fields), {
    templates: Object.fromEntries(templates),
    specBytes: 4_096,
  });
}

const retried = { retryPolicy: { limit: 1 } };
const ofSpec = (specBytes: number) => snapshot(flow([step('a')]), { specBytes });

describe('a flow that may outgrow what the API server stores of one object', () => {
  it('fails before anything starts, with the figures and what to do', () => {
    const result = decided(sixty(30_000));
    expect(result.creates).toEqual([]);
    expect(result.status).toMatchObject({ state: 'Failed', reason: 'FlowTooLarge' });
    expect(result.status.pinnedTemplates).toBeUndefined();
    expect(result.condition('Accepted')).toBe('False/FlowTooLarge');
    expect(result.status.message).toBe(
      'the flow may grow to 1897 KiB, and the API server stores at most 1536 KiB of one object: ' +
        'spec 9 KiB, copies of 60 JobTemplates 1803 KiB, records 61 KiB; ' +
        'use fewer or smaller steps and templates, or set templatePolicy: ResolveAtStep, which keeps no copies',
    );
    expect(result.events).toContain('FlowTooLarge');
  });

  it('starts when it keeps no copies (ResolveAtStep), and when they are small enough', () => {
    const resolved = decided(sixty(30_000, { spec: { templatePolicy: 'ResolveAtStep' } }));
    expect(resolved.creates).toHaveLength(60);
    expect(decided(sixty(20_000)).creates).toHaveLength(60);
  });

  it.each([
    [1_500_000, 'starts'],
    [1_560_000, 'is refused'],
  ] as const)('whose spec alone has %i bytes %s', (specBytes, what) => {
    const { creates, status } = decided(ofSpec(specBytes));
    expect(creates).toHaveLength(what === 'starts' ? 1 : 0);
    expect(status.reason).toBe(what === 'starts' ? undefined : 'FlowTooLarge');
  });

  it.each([
    ['of 5,000 steps and 1.1 MB', 1_100_000, {}, 'starts'],
    ['of 5,000 steps and 1.33 MB', 1_330_000, {}, 'is refused'],
    ['whose 5,000 steps may all wait for a retry at once', 1_100_000, retried, 'is refused'],
  ] as const)('%s', (_, specBytes, fields, what) => {
    const steps = Array.from({ length: 5_000 }, (__, index) => step(`s${index}`, fields));
    const { creates } = decided(snapshot(flow(steps), { specBytes }));
    expect(creates).toHaveLength(what === 'starts' ? 1_000 : 0);
  });

  it('is judged again when it is changed or when a retry is asked for', () => {
    const { status } = decided(sixty(30_000));
    expect(decided(sixty(20_000, { status })).decision.plan).toEqual([]);
    expect(decided(sixty(20_000, { status, generation: 2 })).creates).toHaveLength(60);
    const asked = sixty(20_000, { status, retry: 'smaller' });
    expect(decided(asked).creates).toHaveLength(60);
    const still = decided(sixty(30_000, { status, retry: 'same' }));
    expect(still.status).toMatchObject({ reason: 'FlowTooLarge', retryNonce: 'same' });
  });

  it('is not judged once it runs', () => {
    const status = started([record('a', 'Waiting')]);
    const running = snapshot(flow([step('a')], { status }), { specBytes: 9_999_999 });
    expect(decided(running).creates).toEqual(['etl-a']);
  });
});
