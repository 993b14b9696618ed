import { expect, it } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import { assuming } from './assuming.ts';
import {
  busybox,
  flow,
  record,
  snapshot,
  started,
  step,
  template as observed,
} from './testing/builders.ts';
import { decided } from './testing/decided.ts';

const given = (name: string, namespace?: string) => ({
  ...{ apiVersion: 'api.practice.com/v1alpha1', kind: resources.JobTemplate.kind },
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  spec: { jobTemplate: { ...busybox, backoffLimit: 7 } },
});
const steps = [step('a', { jobTemplateRef: 't' })];

it('a JobTemplate that was missing is there, and its step starts', () => {
  const missing = snapshot(flow(steps), { templates: { t: null } });
  expect(decided(missing).creates).toEqual([]);
  const { spec } = decided(assuming(missing, given('t'))).created('etl-a');
  expect(spec).toMatchObject({ backoffLimit: 7 });
});

it('a JobTemplate has the given content also where it was pinned', () => {
  const { name, uid, generation, hash, jobTemplate } = observed('t');
  const pins = [{ name, uid, generation, hash, jobTemplate }];
  const next = step('b', { after: ['a'], jobTemplateRef: 't' });
  const records = [record('a', 'Succeed'), record('b', 'Waiting')];
  const status = started(records, { pinnedTemplates: pins });
  const later = snapshot(flow([...steps, next], { status }));
  const { spec } = decided(assuming(later, given('t'))).created('etl-b');
  expect(spec).toMatchObject({ backoffLimit: 7 });
});

it.each([
  ['a JobTemplate that the flow does not use', given('other')],
  ['one of another namespace', given('t', 'elsewhere')],
  ['an object of another kind', { ...given('t'), kind: 'DaemonJob' }],
])('%s changes nothing', (_, object) => {
  const seen = snapshot(flow(steps), { templates: { t: observed('t') } });
  expect(assuming(seen, object)).toBe(seen);
});
