import { describe, expect, it } from 'vitest';
import type { JobFlow, JobFlowStatus } from '#shared/api/job-flow.ts';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { differencesAtRest } from './model-at-rest.ts';

const at = '2026-03-02T08:00:00Z';

function flow(status: Partial<JobFlowStatus>): JobFlow & KubeObject {
  return {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobFlow',
    metadata: {
      name: 'etl',
      uid: asUid('u'),
      resourceVersion: asResourceVersion('7'),
      generation: 1,
    },
    spec: { flows: [{ name: 'a', jobTemplate: { template: { spec: { containers: [] } } } }] },
    status: {
      state: 'Succeed',
      observedGeneration: 1,
      startTime: at,
      completionTime: at,
      jobStatusList: [{ name: 'a', state: 'Succeed', attempt: 0, completionTime: at }],
      ...status,
    },
  } as unknown as JobFlow & KubeObject;
}

function faultsWith(status: Partial<JobFlowStatus>): readonly string[] {
  return differencesAtRest([{ type: 'ADDED', object: flow(status), atMs: 0 }], [], Date.parse(at));
}

describe('the model on what a real API server ends with', () => {
  it('says which end no Job justifies', () => {
    expect(faultsWith({})).toEqual([
      'model, ends: a is recorded as Succeed : no Job of this attempt did (etl)',
    ]);
  });

  it('says which times do not fit', () => {
    const later = '2026-03-02T09:00:00Z';
    const jobStatusList = [
      { name: 'a', state: 'Failed', reason: 'InvalidJob', completionTime: at },
    ] as const;
    const faults = faultsWith({ state: 'Failed', completionTime: later, jobStatusList });
    expect(faults).toEqual([
      `model, times: the flow ended at ${later}, its last step at ${at} (etl)`,
    ]);
  });

  it('says nothing of a flow that is not over', () => {
    const jobStatusList = [{ name: 'a', state: 'Running' }] as const;
    expect(faultsWith({ state: 'Running', observedGeneration: 0, jobStatusList })).toEqual([]);
  });
});
