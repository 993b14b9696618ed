import { expect, test } from 'vitest';
import { refusal } from '../../apimachinery/testing/refusal.ts';
import { Fixture } from '../testing/fixture.ts';

const about = { kind: 'Pod', namespace: 'default', name: 'p' };

const fresh = {
  metadata: { name: 'e' },
  regarding: about,
  reason: 'Started',
  note: 'it runs',
  type: 'Normal',
  action: 'Start',
  eventTime: '2026-01-01T00:00:00.123456Z',
  reportingController: 'example.com/x',
  reportingInstance: 'x-1',
};

test('an Event of either group is one object of both', () => {
  const api = new Fixture();
  const lines = api.watch('events');
  api.create('events.events.k8s.io', fresh);
  expect(lines).toEqual(['ADDED e']);
  expect(api.get('events', 'e')).toMatchObject({
    apiVersion: 'v1',
    involvedObject: about,
    message: 'it runs',
    reportingComponent: 'example.com/x',
    firstTimestamp: null,
  });
  expect(api.get('events.events.k8s.io', 'e')).toMatchObject({ ...fresh, deprecatedSource: {} });
  expect(api.names('events', { fieldSelector: 'involvedObject.name=p,reason=Started' })).toEqual([
    'e',
  ]);
  expect(api.names('events.events.k8s.io', { fieldSelector: 'regarding.name=q' })).toEqual([]);
});

test('a core Event is read as a new one', () => {
  const api = new Fixture();
  const source = { component: 'c', host: 'h' };
  api.create('events', {
    metadata: { name: 'e' },
    involvedObject: about,
    message: 'm',
    source,
    count: 2,
  });
  expect(api.get('events.events.k8s.io', 'e')).toMatchObject({
    regarding: about,
    note: 'm',
    deprecatedSource: source,
    deprecatedCount: 2,
    eventTime: null,
  });
});

test('a new Event must say when, by whom and of what type', () => {
  const body = { metadata: { name: 'e' }, regarding: about };
  expect(refusal(() => new Fixture().create('events.events.k8s.io', body)).message).toBe(
    'Event "e" is invalid: [eventTime: Required value, type: Invalid value: "": has invalid value: ]',
  );
});
