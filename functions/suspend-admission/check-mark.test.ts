import { describe, expect, it } from 'vitest';
import { checkMark } from './check-mark.ts';
import { answer, creation, object, type ObjectFields, update } from './testing/reviews.ts';

const mark = { 'millrace.dev/suspended-by': 'uid-of-nights/1767592800' };
const held = {
  'millrace.dev/held': '{"policy":"SuspendPolicy/team-a/nights","since":"2026-01-05T06:00:00Z"}',
};
const theirs = 'only suspend policies write this; millrace.dev/suspend-override is for people';
const path = (name: string) => `metadata.annotations[millrace.dev/${name}]`;
const suspended: ObjectFields = {
  labels: { tier: 'batch' },
  annotations: { ...mark, ...held },
  spec: { suspend: true },
};

function changed(after: ObjectFields, before: ObjectFields = suspended) {
  return answer(checkMark, update(object('Job', before), object('Job', after)));
}

const refusal = (message: string) => ({ allowed: false, code: 403, reason: 'Forbidden', message });

describe('what a policy wrote', () => {
  it('is not taken away', async () => {
    expect(await changed({ ...suspended, annotations: held })).toEqual(
      refusal(`${path('suspended-by')}: Forbidden: ${theirs}`),
    );
  });

  it('is not taken away with the suspension', async () => {
    const { labels = {} } = suspended;
    expect(await changed({ labels, spec: { suspend: false } })).toEqual(
      refusal(
        `[${path('suspended-by')}: Forbidden: ${theirs}, ${path('held')}: Forbidden: ${theirs}]`,
      ),
    );
  });

  it.each(['suspended-by', 'held', 'resumed-by', 'placed'])(
    'is not written by others: %s',
    async (name) => {
      const annotations = { ...suspended.annotations, [`millrace.dev/${name}`]: 'forged' };
      expect(await changed({ ...suspended, annotations })).toEqual(
        refusal(`${path(name)}: Forbidden: ${theirs}`),
      );
    },
  );

  it('is not brought along by what is created to run', async () => {
    const { annotations = {} } = suspended;
    expect(await answer(checkMark, creation(object('JobFlow', { annotations })))).toEqual(
      refusal(`${path('suspended-by')}: Forbidden: ${theirs}`),
    );
  });

  it('comes with what is created suspended, as admission itself writes it', async () => {
    expect(await answer(checkMark, creation(object('Job', suspended)))).toEqual({ allowed: true });
  });
});

describe('who resumes by hand what a policy holds', () => {
  it('does nothing else with its labels at once', async () => {
    const message =
      'metadata.labels: Forbidden: a policy holds this object: resume it and change its labels in separate requests, ' +
      'so that the policy can tell the changes apart';
    const resumed = { ...suspended, spec: { suspend: false } };
    expect(await changed({ ...resumed, labels: {} })).toEqual(refusal(message));
    expect(await changed({ ...resumed, labels: { tier: 'service' } })).toEqual(refusal(message));
  });

  it('may do either', async () => {
    expect(await changed({ ...suspended, spec: { suspend: false } })).toEqual({ allowed: true });
    expect(await changed({ ...suspended, labels: {} })).toEqual({ allowed: true });
  });

  it('may set an override', async () => {
    const annotations = { ...suspended.annotations, 'millrace.dev/suspend-override': 'Run' };
    expect(await changed({ ...suspended, annotations })).toEqual({ allowed: true });
  });
});
