import { expect, it } from 'vitest';
import type { AppWrapper } from '#shared/api/app-wrapper.ts';
import { annotations } from '#shared/domain/labels.ts';
import { queuedNote } from '#shared/domain/queued-note.ts';
import { pictureOfWrapper } from './wrapper-picture.ts';

const condition = (type: string, status: string, reason: string) => ({
  ...{ type, status, reason, message: `${reason} because` },
  lastTransitionTime: '2026-11-29T06:04:45Z',
});

const pictured = (fields: object, metadata: object = {}) =>
  pictureOfWrapper({
    metadata: { name: 'train', namespace: 'default', ...metadata },
    spec: { suspend: true, components: [] },
    ...fields,
  } as unknown as AppWrapper);

it('a wrapper that waits in a queue shows what Kueue reports', () => {
  const note = queuedNote({ queue: 'main', message: 'no quota' });
  const waits = pictured(
    { status: { phase: 'Suspended' } },
    { annotations: { [annotations.queued]: note } },
  );
  expect(waits).toMatchObject({ reason: 'Queued', message: 'waits in the queue main: no quota' });
});

it('a wrapper that is suspended by hand says so', () => {
  const suspended = pictured({ status: { phase: 'Suspended' } });
  expect(suspended).toMatchObject({ reason: 'Suspended', message: 'spec.suspend is true' });
});

it('a wrapper that is reset shows the fault, also beside conditions of the same second', () => {
  const conditions = [
    condition('QuotaReserved', 'True', 'Resuming'),
    condition('Unhealthy', 'True', 'FailedComponent'),
  ];
  const spec = { suspend: false, components: [] };
  const reset = pictured({ spec, status: { phase: 'Resetting', conditions } });
  expect(reset).toMatchObject({ reason: 'FailedComponent', message: 'FailedComponent because' });
});

it('a wrapper that runs shows whether its Pods do', () => {
  const conditions = [
    condition('QuotaReserved', 'True', 'Resuming'),
    condition('PodsReady', 'False', 'InsufficientPodsReady'),
  ];
  const spec = { suspend: false, components: [] };
  const runs = pictured({ spec, status: { phase: 'Running', conditions } });
  expect(runs).toMatchObject({ reason: 'InsufficientPodsReady' });
});

const ended = (phase: string, ...components: readonly (readonly object[])[]) =>
  pictured({
    spec: { suspend: false, components: [] },
    status: {
      phase,
      conditions: [
        condition('Finished', 'True', phase),
        {
          ...condition('DeletingResources', 'False', 'DeletionComplete'),
          lastTransitionTime: '2026-12-06T06:04:45Z',
        },
      ],
      componentStatus: components.map((each, index) => ({
        ...{ name: `c${index}`, kind: 'Job', apiVersion: 'batch/v1', podSets: [] },
        conditions: each,
      })),
    },
  });
const isGone = condition('ResourcesDeployed', 'False', 'CompononetDeleted');

it('a wrapper that has ended shows when and why it ended, not when its resources were removed', () => {
  expect(ended('Succeeded')).toMatchObject({
    ...{ reason: 'Succeeded', message: 'Succeeded because' },
    endedMs: Date.parse('2026-11-29T06:04:45Z'),
  });
});

it('a component that was removed after the end shows the end, and does not wait', () => {
  expect(ended('Succeeded', [isGone]).steps).toMatchObject([
    { state: 'Succeed', message: undefined },
  ]);
  const refused = condition('ResourcesDeployed', 'False', 'ComponentCreationErrored');
  expect(ended('Failed', [isGone], [refused]).steps).toMatchObject([
    { state: 'Failed', message: 'CompononetDeleted because' },
    { state: 'Failed', message: 'ComponentCreationErrored because' },
  ]);
});

it('a component that has succeeded shows so before and after the others end', () => {
  const there = condition('ResourcesDeployed', 'True', 'ComponentCreatedSuccessfully');
  const hasSucceeded = condition('Finished', 'True', 'Succeeded');
  const states = (phase: string, deployed: object) =>
    ended(phase, [deployed, hasSucceeded], [deployed]).steps.map(({ state }) => state);
  expect(states('Running', there)).toEqual(['Succeed', 'Running']);
  expect(states('Failed', isGone)).toEqual(['Succeed', 'Failed']);
});
