import { describe, expect, it } from 'vitest';
import type { FlowSnapshot } from '../snapshot.ts';
import {
  at,
  flow,
  job,
  record,
  snapshot,
  started,
  step,
  template,
  type FlowFields,
} from '../testing/builders.ts';
import { decided, withRetry } from '../testing/decided.ts';

const names = Array.from({ length: 60 }, (_, index) => `template-${index}`);

/** Sixty steps, each with a JobTemplate of its own of this size. */
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
    ['of 5,000 steps and 1.270 MB', 1_270_000, {}, 'starts'],
    ['of 5,000 steps and 1.276 MB', 1_276_000, {}, 'is refused'],
    ['whose 5,000 steps may all wait for a retry at once', 606_000, retried, 'starts'],
    ['whose waiting retries do not fit beside 612 KB', 612_000, retried, 'is refused'],
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

describe('a flow whose pin without a valid seal is replaced by the JobTemplate of now', () => {
  const pins = names.map((name) => template(name));
  const records = names.map((_, index) => record(`s${index}`, index === 0 ? 'Waiting' : 'Succeed'));
  const status = started(records, { pinnedTemplates: pins.slice(1) });
  const replaced = (bytes: number): FlowSnapshot => ({
    ...sixty(bytes, { status }),
    replacedPins: [{ name: 'template-0', generation: 2 }],
    pinBytes: Object.fromEntries(names.map((name) => [name, 20_000])),
    templates: { 'template-0': { ...template('template-0'), bytes } },
  });

  it('goes on when the flow still fits', () => {
    const result = decided(replaced(20_000));
    expect(result.creates).toEqual(['etl-s0']);
    expect(result.events).toContain('PinReplaced');
    expect(result.status.pinnedTemplates).toHaveLength(60);
  });

  it('stands still while it would not, and names the JobTemplate', () => {
    const seen = replaced(500_000);
    const result = decided(seen);
    expect(result.creates).toEqual([]);
    expect(result.status).toMatchObject({ state: 'Running', reason: 'FlowTooLarge' });
    expect(result.status.message).toContain(
      'nothing new starts until the JobTemplate that replaces an invalid copy is smaller: template-0',
    );
    expect(result.condition('Accepted')).toBe('False/FlowTooLarge');
    expect(result.events).toEqual(['FlowTooLarge']);
    expect(result.status.pinnedTemplates).toHaveLength(59);
    const smaller = {
      ...replaced(20_000),
      flow: flow(seen.flow.spec.flows, { status: result.status }),
    };
    expect(decided(smaller).creates).toEqual(['etl-s0']);
  });
});

describe('a retry by hand of a flow that would outgrow it', () => {
  const retrySixty = (bytes: number, pinBytes = 20_000) => {
    const pins = names.map((name) => template(name));
    const states = names.map((_, index) => (index < 30 ? 'Succeed' : 'Failed'));
    const records = states.map((state, index) => record(`s${index}`, state));
    const status = started(records, {
      state: 'Failed',
      completionTime: at(60),
      pinnedTemplates: pins,
    });
    const look = sixty(bytes, { status, retry: '1' });
    const read = Object.entries(look.templates).slice(30);
    return {
      ...look,
      templates: Object.fromEntries(read),
      pinBytes: Object.fromEntries(names.map((name) => [name, pinBytes])),
    };
  };

  it('is refused, with the figures and what to do, and what is on record stays', () => {
    const seen = retrySixty(50_000);
    const result = decided(seen, 90);
    expect(result.creates).toEqual([]);
    expect(result.status).toMatchObject({ state: 'Failed', retryNonce: '1' });
    expect(result.status.pinnedTemplates).toEqual(seen.flow.status?.pinnedTemplates);
    expect(result.condition('RetryRefused')).toBe('True/FlowTooLarge');
    expect(result.events).toEqual(['RetryRefused']);
    const refusal = result.status.conditions?.find(({ type }) => type === 'RetryRefused');
    expect(refusal?.message).toBe(
      'nothing is retried: the flow may grow to 2190 KiB, and the API server stores at most 1536 KiB of one ' +
        'object: spec 9 KiB, copies of 60 JobTemplates 2096 KiB, records 61 KiB; use smaller templates in the ' +
        'failed and skipped steps, then retry with another value',
    );
  });

  it('is granted with templates that fit, of which those that are kept count as they are', () => {
    expect(decided(withRetry(retrySixty(20_000), 90), 90).creates).toHaveLength(30);
    expect(decided(retrySixty(20_000, 40_000), 90).events).toEqual(['RetryRefused']);
    expect(decided(withRetry(retrySixty(30_000, 10_000), 90), 90).creates).toHaveLength(30);
  });

  it('is refused for steps that were corrected and grew, and leaves running steps alone', () => {
    const records = [record('a', 'Failed'), record('b', 'Running')];
    const status = started(records, { flowsHash: 'hash-of-flows' });
    const seen = snapshot(flow([step('a'), step('b')], { status, retry: '1' }), {
      specBytes: 1_560_000,
      jobs: [job('a', 'failed'), job('b', 'running')],
    });
    const result = decided(seen, 90);
    expect([result.creates, result.deletes]).toEqual([[], []]);
    expect(result.step('a').state).toBe('Failed');
    expect(result.condition('RetryRefused')).toBe('True/FlowTooLarge');
  });
});
