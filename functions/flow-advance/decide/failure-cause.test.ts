import { describe, expect, it } from 'vitest';
import type { ObservedPods } from '#shared/domain/observed-job.ts';
import { condition, flow, job, record, snapshot, started, step } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

const exited: NonNullable<ObservedPods['failure']> = {
  pod: 'etl-a-x',
  message: 'container main exited 3',
  shownBy: 'logs',
};
const status = started([record('a', 'Running')]);

const failedWith = (pods: ObservedPods | undefined, fields: Parameters<typeof job>[2] = {}) =>
  decided(
    snapshot(flow([step('a')], { status }), {
      jobs: [{ ...job('a', 'failed', fields), ...(pods === undefined ? {} : { pods }) }],
    }),
  );

const pods = (fields: Partial<ObservedPods>): ObservedPods => ({ active: 0, failed: 1, ...fields });

describe('a failed step', () => {
  it("says what its container did and how to see more; the reason stays the Job's", () => {
    const result = failedWith(pods({ failure: exited }));
    const message = 'container main exited 3; kubectl -n default logs job/etl-a';
    expect(result.step('a')).toMatchObject({ reason: 'BackoffLimitExceeded', message });
    expect(result.status.message).toBe(`failed: a (BackoffLimitExceeded: ${message})`);
  });

  it('names the container to kubectl when it is not the one that it shows anyway', () => {
    const failure = { ...exited, container: 'aside' };
    expect(failedWith(pods({ failure })).step('a').message).toMatch(/logs job\/etl-a -c aside$/);
  });

  it('names the last of several failed Pods', () => {
    expect(failedWith(pods({ failed: 3, failure: exited })).step('a').message).toBe(
      'the last of 3 failed Pods: container main exited 3; kubectl -n default logs etl-a-x',
    );
  });

  it('refers to its Pod when there is no log', () => {
    const failure = { ...exited, message: 'no command', shownBy: 'describe' } as const;
    expect(failedWith(pods({ failure })).step('a').message).toBe(
      'no command; kubectl -n default describe pod etl-a-x',
    );
  });

  it.each(['FailedIndexes', 'MaxFailedIndexesExceeded'])(
    'says what its container did also where the Job only says %s',
    (reason) => {
      const conditions = [condition('Failed', { reason, message: 'indexes failed' })];
      const result = failedWith(pods({ failure: exited }), { conditions });
      expect(result.step('a').message).toMatch(/^container main exited 3; /);
    },
  );

  it("has the Job's words when its Pods could not be read, or give no cause", () => {
    for (const unknown of [undefined, pods({})]) {
      expect(failedWith(unknown).step('a').message).toBe(
        'Job has reached the specified backoff limit',
      );
    }
  });

  it('says that its Pod may have been deleted or drained when none is left', () => {
    expect(failedWith(pods({ areGone: true })).step('a').message).toBe(
      'Job has reached the specified backoff limit; its Pod is gone, so how it failed is not known: it may have been deleted or drained while it ran; kubectl -n default describe job etl-a',
    );
  });

  it("has the Job's words when these name the cause themselves", () => {
    const message = 'Job was active longer than specified deadline';
    const conditions = [condition('Failed', { reason: 'DeadlineExceeded', message })];
    expect(failedWith(pods({ failure: exited }), { conditions }).step('a')).toMatchObject({
      reason: 'DeadlineExceeded',
      message: `${message}; kubectl -n default logs job/etl-a`,
    });
  });
});
