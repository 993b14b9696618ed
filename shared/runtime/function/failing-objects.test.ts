/** Users see runs that fail on their object (pass-9 of process-item.ts). */
import { describe, expect, it } from 'vitest';
import { type ErrorCode, MillraceError } from '#shared/domain/errors.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { caseNowMs, flowCase } from '../testing/flow-case.ts';
import { oneJob } from '../testing/one-job-function.ts';

const refusal = (code: ErrorCode, { status }: { readonly status: number } = { status: 500 }) =>
  new MillraceError(code, {
    ...{ verb: 'list', path: '/jobs', status, reason: 'R' },
    detail: 'jobs are forbidden',
  });

/** Its reads fail as long as there is an error. */
function aCase() {
  const clock = virtualClock(caseNowMs);
  const now: { error: Error | undefined } = { error: undefined };
  const opened = flowCase((cluster) => ({
    clock,
    reader: {
      ...cluster.reader,
      listByOwner: (...args) =>
        now.error === undefined ? cluster.reader.listByOwner(...args) : Promise.reject(now.error),
    },
  }));
  const reported = () =>
    opened.cluster.objects('Event').map((event) => {
      const { reason, type, message, involvedObject } = event as unknown as JsonObject;
      const { kind, name } = involvedObject as JsonObject;
      return [kind, name, type, reason, message].map(String).join(' ');
    });
  /** Fails for so many seconds, once a second. */
  const failFor = async (seconds: number, error: Error | undefined) => {
    now.error = error;
    for (let second = 0; second < seconds; second += 1) {
      await opened.process(opened.item);
      await clock.advance(1_000);
    }
  };
  return { ...opened, reported, failFor };
}

describe('a failure', () => {
  it('that lasts is reported on the object, whatever was read, with the next step', async () => {
    const { reported, failFor } = aCase();
    await failFor(10, refusal('MR_API_FORBIDDEN'));
    expect(reported()).toEqual([]);
    await failFor(1, refusal('MR_API_FORBIDDEN'));
    expect(reported()).toEqual([
      'JobFlow flow-a Warning CannotGoOn flow-advance cannot go on with it: MR_API_FORBIDDEN: list /jobs: forbidden: jobs are forbidden; grant the permission to the service account that is named',
    ]);
  });

  it('that parks the object is reported at once', async () => {
    const { reported, failFor } = aCase();
    await failFor(1, refusal('MR_API_REFUSED'));
    expect(reported()).toHaveLength(1);
  });

  it('that goes on is reported once, and another one as well', async () => {
    const { cluster, failFor, reported } = aCase();
    await failFor(30, refusal('MR_API_RETRYABLE'));
    expect(reported()).toHaveLength(1);
    const creates = cluster.objects('Event').length;
    await failFor(1, refusal('MR_API_FORBIDDEN'));
    expect(reported()).toHaveLength(creates + 1);
  });

  it('between successes is not reported', async () => {
    const { reported, failFor } = aCase();
    for (let n = 0; n < 5; n += 1) {
      await failFor(9, refusal('MR_API_RETRYABLE'));
      await failFor(1, undefined);
    }
    expect(reported()).toEqual([]);
  });

  it.each([
    ['a conflict', refusal('MR_API_CONFLICT')],
    ['an API server that is not reached', refusal('MR_API_UNREACHABLE')],
    ['an API server that is away', refusal('MR_API_RETRYABLE', { status: 503 })],
    ['a list that begins anew', refusal('MR_API_GONE')],
    ['a Redis that is away', refusal('MR_QUEUE_UNAVAILABLE')],
  ])('that does not concern the object is not reported: %s', async (_, error) => {
    const { reported, failFor } = aCase();
    await failFor(60, error);
    expect(reported()).toEqual([]);
  });

  it('of the program is reported without what it may quote', async () => {
    const { reported, failFor } = aCase();
    await failFor(11, new TypeError('cannot read "hunter2"'));
    expect(reported()).toEqual([
      'JobFlow flow-a Warning CannotGoOn flow-advance cannot go on with it: a fault of Millrace (TypeError), which its log describes',
    ]);
  });
});

it('a write that every decision repeats and the API server refuses is reported', async () => {
  const clock = virtualClock(caseNowMs);
  const { cluster, process, item } = flowCase(({ client }) => ({
    clock,
    fn: { ...oneJob, secondLook: { knowing: (snapshot) => snapshot } },
    client: {
      ...client,
      create: (resource, object, options) =>
        object.kind === 'Job'
          ? Promise.reject(refusal('MR_API_FORBIDDEN'))
          : client.create(resource, object, options),
    },
  }));
  await process(item);
  await clock.advance(11_000);
  expect(await process(item)).toMatchObject({ kind: 'retry' });
  expect(JSON.stringify(cluster.objects('Event'))).toContain(
    'the API server refuses a write: flow-a-only: Forbidden: jobs are forbidden',
  );
});
