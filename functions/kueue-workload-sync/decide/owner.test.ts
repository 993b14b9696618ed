import { describe, expect, it } from 'vitest';
import { omit } from '#shared/domain/omit.ts';
import { decided, patchesIn, queuedFlow, running, snapshotOf, words } from '../testing/queued.ts';

describe('a flow whose owner waits in a queue', () => {
  const ancestor = { kind: 'managed', owner: 'JobSet outer', isAdmitted: false } as const;

  it('is suspended while its owner is not admitted, and has no Workload of its own (steps 4 and 6)', () => {
    const runs = queuedFlow({ spec: running });
    const operations = decided(snapshotOf(runs, { ancestor }));
    expect(words(operations)).toEqual(['Event Suspended', 'patch JobFlow']);
    expect(patchesIn(operations)).toEqual([{ spec: { suspend: true, podSetInfos: null } }]);
  });

  it('is left alone where its owner is admitted, or where nothing of it is to be stopped', () => {
    const runs = queuedFlow({ spec: running });
    const isAdmitted = { ...ancestor, isAdmitted: true };
    expect(decided(snapshotOf(runs, { ancestor: isAdmitted }))).toEqual([]);
    expect(decided(snapshotOf(queuedFlow(), { ancestor: omit(ancestor, 'isAdmitted') }))).toEqual(
      [],
    );
  });

  it('waits and says so where its owners are more than Kueue follows, or a circle', () => {
    const endless = { ancestor: { kind: 'endless' } } as const;
    const operations = decided(snapshotOf(queuedFlow(), endless));
    expect(words(operations)).toEqual(['Event JobNestingTooDeep', 'patch JobFlow']);
    expect(JSON.stringify(patchesIn(operations))).toContain('metadata.ownerReferences');
    expect(decided(snapshotOf(queuedFlow({ metadata: { labels: {} } }), endless))).toEqual([]);
  });
});
