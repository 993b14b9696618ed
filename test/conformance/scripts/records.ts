/** Validation of Events of both groups, Leases, quotas, limits, priorities and roles. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { family } from '../harness/script.ts';
import type { Manifest, Session } from '../harness/session.ts';
import { lease, samples } from './samples.ts';

const event = (s: Session, more: JsonObject = {}): Manifest => ({
  ...samples.Event.make('a', s.ns),
  ...more,
});

const newEvent = (s: Session, more: JsonObject = {}): Manifest => ({
  ...samples.NewEvent.make('a', s.ns),
  ...more,
});

const badNewEvents: Readonly<Record<string, JsonObject>> = {
  'no eventTime': { eventTime: null },
  'no reportingController': { reportingController: '' },
  'no reportingInstance': { reportingInstance: '' },
  'no action': { action: '' },
  'no reason': { reason: '' },
  'an unknown type': { type: 'Strange' },
  'a long reason': { reason: 'r'.repeat(129) },
  'a long note': { note: 'n'.repeat(1_025) },
  'an old count': { deprecatedCount: 5 },
};

const badLeases: Readonly<Record<string, JsonObject>> = {
  'no duration': { leaseDurationSeconds: null },
  'a duration of 0': { leaseDurationSeconds: 0 },
  'a negative duration': { leaseDurationSeconds: -1 },
  'negative transitions': { leaseTransitions: -1 },
  'a bad time': { renewTime: 'yesterday' },
  'a time without fractions': { renewTime: '2026-01-01T00:00:00Z' },
  'an empty holder': { holderIdentity: '' },
};

const perEvent = Object.fromEntries(
  Object.entries(badNewEvents).map(([what, more]) => [
    `a new Event with ${what}`,
    async (s: Session) => {
      await s.create(newEvent(s, more));
    },
  ]),
);

const perLease = Object.fromEntries(
  Object.entries(badLeases).map(([what, spec]) => [
    `a Lease with ${what}`,
    async (s: Session) => {
      await s.create(lease('a', spec));
    },
  ]),
);

export const recordScripts = family('records', {
  ...perEvent,
  ...perLease,
  'a core Event is seen in the new group': async (s) => {
    await s.create(event(s));
    await s.read('NewEvent', 'a');
    await s.delete('NewEvent', 'a');
    await s.read('Event', 'a');
  },
  'a new Event is seen in the core group': async (s) => {
    await s.create(newEvent(s));
    await s.read('Event', 'a');
    await s.patch('NewEvent', 'a', 'merge', {
      series: { count: 3, lastObservedTime: '2026-01-01T00:00:09.000000Z' },
    });
    await s.read('Event', 'a');
  },
  'an Event is about its namespace': async (s) => {
    await s.create(
      event(s, { involvedObject: { kind: 'Pod', namespace: 'elsewhere', name: 'a' } }),
    );
    await s.create(event(s, { involvedObject: { kind: 'Node', name: 'a' } }));
  },
  'a core Event needs little': async (s) => {
    await s.create({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'a' },
      involvedObject: { namespace: s.ns },
    });
  },
  'a core Event is reported again': async (s) => {
    await s.create(event(s));
    await s.patch('Event', 'a', 'strategic', { count: 2, lastTimestamp: '2026-01-01T00:00:05Z' });
  },
  'what an Event tells of stays': async (s) => {
    await s.create(newEvent(s));
    await s.patch('NewEvent', 'a', 'merge', { reason: 'Other' });
    await s.patch('NewEvent', 'a', 'merge', { regarding: { name: 'other' } });
  },
  'a Lease is taken over with its version': async (s) => {
    const { body } = await s.create(lease('a', { renewTime: '2026-01-01T00:00:00.000000Z' }));
    const next = { ...body, spec: { ...body.spec, holderIdentity: 'two', leaseTransitions: 1 } };
    await s.update(next);
    await s.update(next);
  },
  'a priority is not changed and not too high': async (s) => {
    const name = s.own('p');
    const priority = {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value: 5,
    };
    await s.create(priority);
    await s.patch('PriorityClass', name, 'merge', { value: 6 });
    await s.delete('PriorityClass', name);
    await s.create({ ...priority, value: 2_000_000_000 });
    await s.create({ ...priority, preemptionPolicy: 'Sometimes' });
  },
  'a role has verbs and its resources': async (s) => {
    const role = (rule: JsonObject): Manifest => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'a' },
      rules: [rule],
    });
    await s.create(role({ apiGroups: [''], resources: ['pods'] }));
    await s.create(role({ apiGroups: [''], resources: [], verbs: ['get'] }));
    await s.create(role({ nonResourceURLs: ['/x'], verbs: ['get'] }));
    await s.create(role({ resources: ['pods'], verbs: ['get'] }));
  },
  'what a binding refers to stays': async (s) => {
    await s.create(samples.RoleBinding.make('a', s.ns));
    await s.patch('RoleBinding', 'a', 'merge', { roleRef: { name: 'other' } });
    await s.create({ ...samples.RoleBinding.make('b', s.ns), subjects: null });
    await s.create({
      ...samples.RoleBinding.make('c', s.ns),
      subjects: [{ kind: 'Robot', name: 'x' }],
    });
  },
  'a Service needs its ports': async (s) => {
    const service = (spec: JsonObject): Manifest => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'a' },
      spec: { clusterIP: 'None', ...spec },
    });
    await s.create(service({ ports: [{ port: 0 }] }));
    await s.create(service({ ports: [{ port: 80 }, { port: 81 }] }));
    await s.create(service({ type: 'Strange', ports: [{ port: 80 }] }));
    await s.create(service({ selector: { a: 'b' } }));
  },
  'a CronJob has a schedule': async (s) => {
    const cron = samples.CronJob.make('a', s.ns);
    for (const schedule of ['', 'often', '61 * * * *', '@hourly', 'TZ=UTC 0 * * * *']) {
      await s.create(
        { ...cron, spec: { ...(cron['spec'] as JsonObject), schedule } },
        { query: { dryRun: 'All' } },
      );
    }
  },
  'a CronJob has a policy': async (s) => {
    const cron = samples.CronJob.make('a', s.ns);
    await s.create({
      ...cron,
      spec: { ...(cron['spec'] as JsonObject), concurrencyPolicy: 'Perhaps' },
    });
    await s.create({
      ...cron,
      spec: { ...(cron['spec'] as JsonObject), successfulJobsHistoryLimit: -1 },
    });
  },
});
