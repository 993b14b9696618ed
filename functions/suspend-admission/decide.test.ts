import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { decide } from './decide.ts';
import type { QueueFacts } from './facts.ts';
import { nowMs, object, queueLabel } from './testing/reviews.ts';

const managed: QueueFacts = {
  ...{ isManaged: true, managesUnlabelled: false, isEndless: false },
  owners: [],
};

const decided = (created: JsonObject, queue: Partial<QueueFacts>) =>
  decide({ object: created }, { queue: { ...managed, ...queue }, policies: [] }, nowMs);

const queued = object('JobFlow', { labels: { [queueLabel]: 'main' } });

describe('a new object', () => {
  it('that names a queue starts suspended, without a warning', () => {
    const suspended = { ...queued, spec: { suspend: true } };
    expect(decided(queued, {})).toEqual({ allowed: true, object: suspended });
    expect(decided(queued, { managesUnlabelled: true })).toEqual({
      allowed: true,
      object: suspended,
    });
  });

  it('that takes the default queue starts suspended in it, with all that it has', () => {
    const submitted = object('JobFlow', { labels: { own: 'kept' }, spec: { suspend: true } });
    const named = object('JobFlow', { labels: { own: 'kept', [queueLabel]: 'default' } });
    const inQueue = { ...named, spec: { suspend: true } };
    const taking = { takesDefaultQueue: true } as const;
    expect(decided(object('JobFlow', { labels: { own: 'kept' } }), taking)).toEqual({
      allowed: true,
      object: inQueue,
    });
    // An object that is submitted suspended gets its queue as well.
    expect(decided(submitted, taking)).toEqual({ allowed: true, object: inQueue });
  });

  it('whose owners have no end is refused', () => {
    expect(decided(queued, { isEndless: true })).toEqual({
      ...{ allowed: false, code: 403, reason: 'Forbidden' },
      message:
        'metadata.ownerReferences: the owners form a cycle, or a chain that is longer than Kueue follows',
    });
  });

  it('that waits for nothing is left as it is', () => {
    expect(decided(object('JobFlow'), {})).toEqual({ allowed: true });
    expect(decided(queued, { isManaged: false })).toEqual({ allowed: true });
  });
});
