import { describe, expect, it } from 'vitest';
import type { Json } from '#shared/domain/objects.ts';
import { describeDifferences, differences } from './compare.ts';
import { normalise } from './normalise.ts';
import type { Step } from './transcript.ts';

const uid = (digit: string) => `${digit.repeat(8)}-1111-4111-8111-111111111111`;

const exchange = (body: Json, code = 200): Step => ({
  kind: 'exchange',
  asked: 'GET /x',
  code,
  headers: {},
  body,
});

const bodies = (steps: readonly Json[]) =>
  normalise(
    steps.map((body) => exchange(body)),
    'scope-1',
  ).map((step) => (step.kind === 'exchange' ? step.body : undefined));

const object = (name: string, version: string, more: Record<string, Json> = {}): Json => ({
  kind: 'Thing',
  metadata: { name, resourceVersion: version, ...more },
});

describe('a normalised transcript', () => {
  it('keeps which identities are equal', () => {
    const seen = bodies([
      object('a', '5', { uid: uid('a') }),
      object('b', '6', { uid: uid('b') }),
      { message: `not ${uid('a')}` },
    ]);
    expect(seen).toMatchObject([
      { metadata: { uid: '<uid-1>' } },
      { metadata: { uid: '<uid-2>' } },
      { message: 'not <uid-1>' },
    ]);
  });

  it('keeps the order of versions, not their distance', () => {
    const versions = (list: readonly string[]) => bodies(list.map((one) => object('a', one)));
    expect(versions(['7', '9', '7'])).toEqual(versions(['100', '2000', '100']));
    expect(versions(['7', '9'])).not.toEqual(versions(['9', '7']));
  });

  it('marks a list that is older than its newest object', () => {
    const list = (version: string): Json => ({
      kind: 'ThingList',
      metadata: { resourceVersion: version },
      items: [],
    });
    expect(bodies([object('a', '7'), list('7')])[1]).toMatchObject({
      metadata: { resourceVersion: '<fresh>' },
    });
    expect(bodies([object('a', '7'), list('6')])[1]).toMatchObject({
      metadata: { resourceVersion: '<stale>' },
    });
  });

  it('takes out times of this run and keeps what a script wrote', () => {
    const now = new Date().toISOString();
    expect(bodies([{ now, then: '2020-01-01T00:00:00Z' }])).toEqual([
      { now: '<microtime>', then: '2020-01-01T00:00:00Z' },
    ]);
  });

  it('identifies generated names by their order', () => {
    const generated = (name: string) => ({ metadata: { generateName: 'g-', name } });
    expect(bodies([generated('g-abcde'), { message: '"g-abcde" in scope-1' }])[1]).toEqual({
      message: '"g-<random-1>" in ns',
    });
  });
});

describe('differences', () => {
  it('are none between equal transcripts', () => {
    expect(differences([exchange({ a: [1] })], [exchange({ a: [1] })])).toEqual([]);
  });

  it('name the step and the place', () => {
    const found = differences(
      [exchange({}), exchange({ a: [1, { b: 2 }] })],
      [exchange({}), exchange({ a: [1, { b: 3 }] })],
    );
    expect(found).toEqual([{ at: '#2 body.a.1.b', asked: 'GET /x', real: 2, sandbox: 3 }]);
    expect(describeDifferences(found)).toContain('real    2');
  });

  it('of a code hide what follows from it', () => {
    const real = exchange({ kind: 'Status', message: 'no', reason: 'Invalid' }, 422);
    const found = differences([real], [exchange({ kind: 'Thing' }, 201)]);
    expect(found.map(({ at }) => at)).toEqual(['#1 code', '#1 body.message']);
  });

  it('name a step that only one side has', () => {
    expect(differences([exchange({})], [])).toHaveLength(1);
  });
});
