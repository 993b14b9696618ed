import { describe, expect, it } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import type { EmitEventOperation } from '#shared/domain/plan.ts';
import { clusterEvent, eventName } from './cluster-event.ts';

const reporter = { controller: 'millrace.dev/flow-advance', instance: 'pod-1' };

function operation(changes: Partial<EmitEventOperation> = {}, name = 'flow'): EmitEventOperation {
  const regarding = {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobFlow',
    namespace: 'ns',
    name,
    uid: asUid('u1'),
  };
  return {
    kind: 'emitEvent',
    regarding,
    type: 'Normal',
    reason: 'Started',
    action: 'Start',
    note: 'started',
    occurrence: '1',
    ...changes,
  };
}

describe('the Event of an operation', () => {
  it('has one name per object, reason and occurrence, whatever its text says', () => {
    const first = eventName(operation());
    expect(eventName(operation({ note: 'other words' }))).toBe(first);
    expect(eventName(operation({ occurrence: '2' }))).not.toBe(first);
    expect(eventName(operation({ reason: 'Failed' }))).not.toBe(first);
  });

  it('does not mix reason and occurrence up', () => {
    expect(eventName(operation({ reason: 'A', occurrence: 'BC' }))).not.toBe(
      eventName(operation({ reason: 'AB', occurrence: 'C' })),
    );
  });

  it('has a DNS name of at most 253 characters also for the longest object name', () => {
    const name = eventName(operation({}, `${'a'.repeat(235)}.${'b'.repeat(17)}`));
    expect(name.length).toBeLessThanOrEqual(253);
    expect(name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
  });

  it('is named after its object, and a hash of 16 digits', () => {
    expect(eventName(operation())).toMatch(/^flow\.[0-9a-f]{16}$/);
  });

  it('keeps a note of exactly 1024 bytes as it is', () => {
    const note = 'x'.repeat(1024);
    expect(clusterEvent(operation({ note }), reporter, 0).message).toBe(note);
    expect(clusterEvent(operation({ note: `${note}x` }), reporter, 0).message).toBe(
      `${'x'.repeat(1021)}...`,
    );
  });

  it('stands in the namespace of its object', () => {
    expect(clusterEvent(operation(), reporter, 0).metadata.namespace).toBe('ns');
  });

  it('cuts a note at 1024 bytes and never within a character', () => {
    const { message: note } = clusterEvent(operation({ note: 'é€😀'.repeat(400) }), reporter, 0);
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024);
    expect(note).not.toContain('\uFFFD');
    expect(note.endsWith('...')).toBe(true);
  });

  it('stands in the namespace default when its object has none', () => {
    const { regarding } = operation();
    const event = clusterEvent(
      operation({ regarding: { ...regarding, namespace: '' } }),
      reporter,
      0,
    );
    expect(event.metadata.namespace).toBe('default');
    expect(event.eventTime).toBe('1970-01-01T00:00:00.000000Z');
  });

  it('says when it was seen and by whom as the recorders of both groups do', () => {
    expect(clusterEvent(operation(), reporter, 1_500)).toMatchObject({
      apiVersion: 'v1',
      eventTime: '1970-01-01T00:00:01.500000Z',
      firstTimestamp: '1970-01-01T00:00:01Z',
      lastTimestamp: '1970-01-01T00:00:01Z',
      count: 1,
      source: { component: 'millrace.dev/flow-advance' },
      reportingComponent: 'millrace.dev/flow-advance',
      reportingInstance: 'pod-1',
    });
  });
});
