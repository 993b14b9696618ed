/** Objects that a decision depends on beside its own, and the statuses that it writes there. */
import { describe, expect, it } from 'vitest';
import type { Decision } from '#shared/domain/decision.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import type { PatchStatusOperation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { flowCase } from '../testing/flow-case.ts';
import { oneJob } from '../testing/one-job-function.ts';

const { JobFlow } = resources;
const name = { namespace: 'default', name: 'flow-b' };

/** The decision about flow-a, changed by the observed state of flow-b. */
function besideAnother(change: (decision: Decision, other: KubeObject) => Decision) {
  return flowCase((stored) => {
    const other = stored.put({
      apiVersion: 'api.practice.com/v1alpha1',
      kind: 'JobFlow',
      metadata: name,
      spec: {},
    });
    const decide = (...args: Parameters<typeof oneJob.decide>) =>
      change(oneJob.decide(...args), other);
    return { fn: { ...oneJob, decide } };
  });
}

const asSeen = ({ metadata: { uid, resourceVersion } }: KubeObject) => ({
  ...{ resource: JobFlow, target: name },
  ...{ uid, resourceVersion },
});

describe('a decision that rests on another object', () => {
  const resting = () =>
    besideAnother((decision, other) => ({ ...decision, restsOn: [asSeen(other)] }));

  it('is carried out while that is as it was read', async () => {
    const { cluster, process, item } = resting();
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(cluster.objects('Job')).toHaveLength(1);
  });

  it('creates nothing once that has changed', async () => {
    const { cluster, process, item } = resting();
    await cluster.client.patch(JobFlow, name, { spec: { x: 1 } }, { type: 'merge' });
    expect(await process(item)).toEqual({ kind: 'later', detail: 'the view is behind' });
    expect(cluster.objects('Job')).toEqual([]);
  });

  it('creates nothing once that is gone', async () => {
    const { cluster, process, item } = resting();
    await cluster.client.delete(JobFlow, name);
    expect(await process(item)).toMatchObject({ kind: 'later' });
    expect(cluster.objects('Job')).toEqual([]);
  });
});

describe('a plan that writes two statuses', () => {
  const reporting = () =>
    besideAnother((decision, other) => {
      const report: PatchStatusOperation = {
        kind: 'patchStatus',
        ...asSeen(other),
        status: { phase: 'Reported' },
      };
      return { ...decision, plan: [[report], ...decision.plan], restsOn: [asSeen(other)] };
    });
  const phases = (all: readonly KubeObject[]) =>
    all.map(({ status }) => (status as JsonObject | undefined)?.['phase']);

  it('writes both, each at the version that it was read at', async () => {
    const { cluster, process, item } = reporting();
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(phases(cluster.objects('JobFlow'))).toEqual(['Running', 'Reported']);
  });

  it('writes neither where the other object has changed', async () => {
    const { cluster, process, item } = reporting();
    await cluster.client.patch(JobFlow, name, { spec: { x: 1 } }, { type: 'merge' });
    expect(await process(item)).toMatchObject({ kind: 'later' });
    expect(phases(cluster.objects('JobFlow'))).toEqual([undefined, undefined]);
  });
});
