import { describe, expect, it } from 'vitest';
import { annotations } from '#shared/domain/labels.ts';
import { isTtlWithheld, ttlPatches } from './child-ttl.ts';
import { asUid } from '#shared/domain/objects.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';

const note = annotations.ttlSecondsAfterFinished;
const job = (fields: Partial<ObservedJob>): ObservedJob => ({
  name: 'a',
  uid: asUid('u'),
  labels: {},
  annotations: {},
  suspend: false,
  conditions: [],
  ...fields,
});
const ended = [{ type: 'Complete', status: 'True' }];
const patchesOn = (fields: Partial<ObservedJob>, isOnRecord: boolean) =>
  ttlPatches({
    owner: asUid('p'),
    namespace: 'default',
    jobs: [job(fields)],
    isRecorded: () => isOnRecord,
  }).map(({ patch }) => patch);

describe('a TTL that another client gave a child', () => {
  it.each([0, 3600])('of %i s is taken off and noted while the Job runs', (ttl) => {
    expect(patchesOn({ ttlSecondsAfterFinished: ttl }, false)).toEqual([
      {
        metadata: { annotations: { [note]: String(ttl) } },
        spec: { ttlSecondsAfterFinished: null },
      },
    ]);
  });

  it('is taken off while the end of the Job is not on record', () => {
    const seen = { ttlSecondsAfterFinished: 60, conditions: ended };
    expect(patchesOn(seen, false)).toHaveLength(1);
    expect(
      isTtlWithheld({
        owner: asUid('p'),
        namespace: 'default',
        jobs: [job(seen)],
        isRecorded: () => false,
      }),
    ).toBe(true);
  });

  it('does not replace what the template says', () => {
    const [patch] = patchesOn({ ttlSecondsAfterFinished: 0, annotations: { [note]: '30' } }, false);
    expect(patch).toMatchObject({ metadata: { annotations: { [note]: '30' } } });
  });

  it('is given back when the result is on record', () => {
    const seen = { annotations: { [note]: '0' }, conditions: ended };
    expect(patchesOn(seen, true)).toEqual([{ spec: { ttlSecondsAfterFinished: 0 } }]);
    expect(patchesOn(seen, false)).toEqual([]);
  });

  it.each<[string, Partial<ObservedJob>, boolean]>([
    ['once the result is on record', { ttlSecondsAfterFinished: 0, conditions: ended }, true],
    [
      'while the Job is being deleted',
      { ttlSecondsAfterFinished: 0, deletionTimestamp: 'x' },
      false,
    ],
  ])('is left alone %s', (_, seen, isOnRecord) => {
    expect(patchesOn(seen, isOnRecord)).toEqual([]);
  });
});
