import { expect, it } from 'vitest';
import { submitterText } from '#shared/domain/submitter.ts';
import type { PinnedTemplate } from '#shared/api/job-flow-status.ts';
import type { JobFlowSpec } from '#shared/api/job-flow.ts';
import { templateOrigins } from './template-origins.ts';
import { flow, record, snapshot, started, step, template } from './testing/builders.ts';
import { decided } from './testing/decided.ts';

const by = (username: string) => submitterText({ username, groups: [], extra: {} });
const user = (username: string) => ({ username, groups: [], extra: {} });
const steps = [step('a', { jobTemplateRef: 't' }), step('own')];
const mended = { template: { spec: { containers: [{ name: 'main', image: 'busybox:1.36' }] } } };
const now = { ...template('t', mended), submitter: by('bob') };

function originsOf(fields: {
  readonly pinned?: readonly PinnedTemplate[];
  readonly spec?: Partial<Omit<JobFlowSpec, 'flows'>>;
}) {
  const { pinned, spec = {} } = fields;
  const status = started([record('a', 'Waiting')], {
    ...(pinned === undefined ? {} : { pinnedTemplates: pinned }),
  });
  const seen = snapshot(flow(steps, { status, spec }), { templates: { t: now } });
  const { decision } = decided(seen);
  const creates = decision.plan.flat().filter((each) => each.kind === 'create');
  return creates.map((create) => templateOrigins(seen)(create));
}

it('is the last editor of the template as it was read, for a step that refers to one', () => {
  expect(originsOf({})).toEqual([{ name: 't', submitter: user('bob') }, undefined]);
});

it('is the editor of the pinned content, also when another user edited the template since', () => {
  const pinned = [{ ...template('t'), submitter: by('ann') }];
  expect(originsOf({ pinned })).toEqual([{ name: 't', submitter: user('ann') }, undefined]);
});

it('pinned content without an editor has none, also when the template has one now', () => {
  const pinned = [template('t')];
  expect(originsOf({ pinned })).toEqual([{ name: 't', submitter: undefined }, undefined]);
});

it('is the editor of now where each step resolves its template anew', () => {
  const pinned = [{ ...template('t'), submitter: by('ann') }];
  expect(originsOf({ pinned, spec: { templatePolicy: 'ResolveAtStep' } })).toEqual([
    { name: 't', submitter: user('bob') },
    undefined,
  ]);
});

it('records the last editor of a template with its pin', () => {
  const { status } = decided(snapshot(flow(steps), { templates: { t: now } }));
  expect(status.pinnedTemplates).toEqual([now]);
});
