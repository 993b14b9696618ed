import { expect, it } from 'vitest';
import { assuming } from './assuming.ts';
import { queuedFlow, snapshotOf } from './testing/queued.ts';

const content = { template: { spec: { containers: [] } } };
const given = (name: string, namespace?: string) => ({
  ...{ apiVersion: 'api.practice.com/v1alpha1', kind: 'JobTemplate' },
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  spec: { jobTemplate: content },
});

it('podSets are made from the given content of a JobTemplate, also where there was none', () => {
  const seen = snapshotOf(queuedFlow(), { needed: { t: null } });
  expect(assuming(seen, given('t')).needed).toEqual({ t: content });
});

it.each([given('other'), given('t', 'elsewhere'), { ...given('t'), kind: 'DaemonJob' }])(
  'what podSets are not made from changes nothing: %j',
  (object) => {
    const seen = snapshotOf(queuedFlow(), { needed: { t: null } });
    expect(assuming(seen, object)).toBe(seen);
  },
);
