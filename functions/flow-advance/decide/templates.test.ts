import { describe, expect, it } from 'vitest';
import { annotations } from '#shared/domain/labels.ts';
import { inheritedNames } from '#shared/domain/testing/inherited-names.ts';
import {
  at,
  busybox,
  flow,
  job,
  record,
  snapshot,
  started,
  step,
  t0,
  template,
} from '../testing/builders.ts';
import { decided, inside } from '../testing/decided.ts';

const steps = [
  step('a', { jobTemplateRef: 'first' }),
  step('b', { jobTemplateRef: 'second', after: ['a'] }),
  step('own'),
];
const other = { template: { spec: { containers: [{ name: 'main', image: 'busybox:1.36' }] } } };
const templates = { first: template('first'), second: template('second') };

describe('PinAtStart (rule 17)', () => {
  it('records uid, generation, hash and content of every template with the start', () => {
    const result = decided(snapshot(flow(steps), { templates }));
    expect(result.creates).toEqual(['etl-a', 'etl-own']);
    expect(result.status.pinnedTemplates).toEqual([templates.first, templates.second]);
    expect(result.step('a').templateHash).toBe(templates.first.hash);
    expect(result.created('etl-a').metadata.annotations).toEqual({
      [annotations.templateHash]: templates.first.hash,
    });
    expect(result.condition('TemplatesResolved')).toBe('True/Resolved');
  });

  it('runs later steps from the pinned content, also when the template was edited or deleted', () => {
    const started_ = decided(snapshot(flow(steps), { templates })).status;
    for (const now of [template('second', other), null]) {
      const result = decided(
        snapshot(flow(steps, { status: started_ }), {
          jobs: [job('a', 'complete'), job('own', 'running')],
          templates: { second: now },
        }),
      );
      expect(result.creates).toEqual(['etl-b']);
      expect(
        inside(result.created('etl-b'), 'spec', 'template', 'spec', 'containers', 0, 'image'),
      ).toBe('busybox:1.28');
      expect(result.step('b').templateHash).toBe(templates.second.hash);
    }
  });

  it('leaves the condition out where no step refers to a template', () => {
    const result = decided(snapshot(flow([step('own')])));
    expect(result.condition('TemplatesResolved')).toBeUndefined();
    expect(result.status.pinnedTemplates).toBeUndefined();
  });
});

describe('ResolveAtStep (rule 17)', () => {
  const spec = { templatePolicy: 'ResolveAtStep' } as const;

  it('runs a later step from the template as it is then, and records its hash', () => {
    const status = started([
      record('a', 'Running'),
      record('b', 'Waiting'),
      record('own', 'Succeed'),
    ]);
    const edited = template('second', other);
    const result = decided(
      snapshot(flow(steps, { spec, status }), {
        jobs: [job('a', 'complete')],
        templates: { second: edited },
      }),
    );
    expect(
      inside(result.created('etl-b'), 'spec', 'template', 'spec', 'containers', 0, 'image'),
    ).toBe('busybox:1.36');
    expect(result.step('b').templateHash).toBe(edited.hash);
    expect(result.status.pinnedTemplates).toBeUndefined();
  });

  it('holds only the step whose template is missing', () => {
    const result = decided(snapshot(flow(steps, { spec }), { templates: { first: null } }));
    expect(result.creates).toEqual(['etl-own']);
    expect(result.step('a')).toMatchObject({ state: 'Blocked', reason: 'JobTemplateNotFound' });
    expect(result.condition('TemplatesResolved')).toBe('False/JobTemplateNotFound');
    expect(result.status.state).toBe('Running');
  });
});

describe('a missing template (rule 18)', () => {
  const missing = { first: null, second: null };

  it('keeps everything from starting; every missing one is named', () => {
    const result = decided(snapshot(flow(steps), { templates: missing }));
    expect(result.creates).toEqual([]);
    expect(result.status.state).toBe('Pending');
    expect(result.status.startTime).toBeUndefined();
    expect(result.condition('TemplatesResolved')).toBe('False/JobTemplateNotFound');
    const { message } =
      result.status.conditions?.find(({ type }) => type === 'TemplatesResolved') ?? {};
    expect(message).toContain('first, second');
    expect(result.step('a')).toMatchObject({ state: 'Blocked', reason: 'JobTemplateNotFound' });
    expect(result.step('own')).toMatchObject({ state: 'Waiting', reason: 'TemplatesPending' });
    expect(result.events).toEqual(['JobTemplateNotFound']);
  });

  it('is waited for without end and without a write', () => {
    const first = decided(snapshot(flow(steps), { templates: missing }));
    const later = snapshot(flow(steps, { status: first.status }), { templates: missing });
    expect(decided(later, 10 * 24 * 3600).decision).toMatchObject({ plan: [] });
  });

  it('starts the flow as soon as it exists, an hour later or more', () => {
    const first = decided(snapshot(flow(steps), { templates: missing }));
    const result = decided(snapshot(flow(steps, { status: first.status }), { templates }), 3600);
    expect(result.creates).toEqual(['etl-a', 'etl-own']);
    expect(result.condition('TemplatesResolved')).toBe('True/Resolved');
    expect(result.status.reason).toBeUndefined();
  });

  it('fails the flow after startDeadlineSeconds, where that is set', () => {
    const spec = { startDeadlineSeconds: 120 };
    const before = decided(snapshot(flow(steps, { spec }), { templates: missing }), 60);
    expect(before.decision.requeueAtMs).toBe(t0 + 120_000);
    const late = flow(steps, { spec, status: before.status });
    const result = decided(snapshot(late, { templates: missing }), 120);
    expect(result.status).toMatchObject({ state: 'Failed', reason: 'StartDeadlineExceeded' });
    expect(result.status.completionTime).toBe(at(120));
    expect(result.step('a').state).toBe('Skipped');
    expect(result.condition('Failed')).toBe('True/StartDeadlineExceeded');
    expect(result.condition('Accepted')).toBe('True/Valid');
    const after = flow(steps, { spec, status: result.status });
    expect(decided(snapshot(after, { templates }), 121).decision.plan).toEqual([]);
  });

  it('is waited for with a full start deadline after a retry by hand (rule 13)', () => {
    const spec = { startDeadlineSeconds: 120 };
    const late = decided(snapshot(flow(steps, { spec }), { templates: missing }), 120);
    const asked = flow(steps, { spec, status: late.status, retry: '1' });
    const again = decided(snapshot(asked, { templates: missing }), 300);
    expect(again.status).toMatchObject({ state: 'Pending', reason: 'JobTemplateNotFound' });
    expect(again.decision.requeueAtMs).toBe(t0 + 420_000);
    const waiting = flow(steps, { spec, status: again.status, retry: '1' });
    expect(decided(snapshot(waiting, { templates }), 419).creates).toEqual(['etl-a', 'etl-own']);
    const end = decided(snapshot(waiting, { templates: missing }), 420);
    expect(end.status).toMatchObject({ state: 'Failed', completionTime: at(420) });
  });

  it('starts a flow that was too late and is retried by hand once it exists', () => {
    const spec = { startDeadlineSeconds: 120 };
    const late = decided(snapshot(flow(steps, { spec }), { templates: missing }), 120);
    const asked = flow(steps, { spec, status: late.status, retry: '1' });
    const { status } = decided(snapshot(asked, { templates }), 300);
    const retried = flow(steps, { spec, status, retry: '1' });
    expect(decided(snapshot(retried, { templates }), 300).creates).toEqual(['etl-a', 'etl-own']);
  });

  it('is waited for with a full start deadline after a suspension', () => {
    const spec = { startDeadlineSeconds: 120 };
    const held = flow(steps, { spec: { ...spec, suspend: true } });
    const { status } = decided(snapshot(held, { templates: missing }), 1);
    const resumed = decided(snapshot(flow(steps, { spec, status }), { templates: missing }), 500);
    expect(resumed.status.state).toBe('Pending');
    expect(resumed.decision.requeueAtMs).toBe(t0 + 620_000);
    const late = flow(steps, { spec, status: resumed.status });
    const end = decided(snapshot(late, { templates: missing }), 620);
    expect(end.status.reason).toBe('StartDeadlineExceeded');
    expect(end.condition('Suspended')).toBe('False/Resumed');
  });

  it('stays too late when its deadline is moved afterwards, or a clock is set back', () => {
    const spec = { startDeadlineSeconds: 120 };
    const late = decided(snapshot(flow(steps, { spec }), { templates: missing }), 121);
    const moved = flow(steps, { spec: { startDeadlineSeconds: 3600 }, status: late.status });
    const edited = { ...moved, metadata: { ...moved.metadata, generation: 2 } };
    for (const seconds of [122, 1]) {
      const { creates, status } = decided(snapshot(edited, { templates }), seconds);
      expect(creates).toEqual([]);
      expect(status).toMatchObject({
        state: 'Failed',
        reason: 'StartDeadlineExceeded',
        observedGeneration: 2,
      });
    }
  });

  it('does not count the time of a suspension as late, nor anything after the start', () => {
    const suspended = { startDeadlineSeconds: 1, suspend: true };
    expect(decided(snapshot(flow(steps, { spec: suspended }), { templates }), 9).status.state).toBe(
      'Suspended',
    );
    const spec = { startDeadlineSeconds: 1 };
    const jobs = [job('own', 'running')];
    expect(decided(snapshot(flow(steps, { spec }), { templates, jobs }), 9).status.state).toBe(
      'Running',
    );
  });
});

it('a step that names no template at all is not started on a guess', () => {
  const status = started([record('a', 'Succeed'), record('b', 'Waiting')]);
  const result = decided(snapshot(flow([step('a'), { name: 'b' }], { status })));
  expect(result.creates).toEqual([]);
  expect(result.step('b')).toMatchObject({
    state: 'Blocked',
    reason: 'JobTemplateNotFound',
    message: 'there is no JobTemplate ""',
  });
});

describe('a template that no Job can be made from', () => {
  const pod = (fields: object) => ({ spec: { containers: [], ...fields } });
  it.each([
    ['template.spec is not an object', undefined],
    ['template.spec is not an object', { spec: [] }],
    ['template.metadata is not an object', { metadata: 1, ...pod({}) }],
    ['template.metadata.labels is not an object', { metadata: { labels: 1 }, ...pod({}) }],
    [
      'template.metadata.annotations is not an object',
      { metadata: { annotations: [] }, ...pod({}) },
    ],
    ['template.spec.containers is not a list of objects', { spec: {} }],
    ['template.spec.containers is not a list of objects', pod({ containers: 'x' })],
    ['template.spec.containers is not a list of objects', pod({ containers: [null] })],
    [
      'template.spec.containers[].env is not a list of objects',
      pod({ containers: [{ env: 'x' }] }),
    ],
    [
      'template.spec.containers[].volumeMounts is not a list of objects',
      pod({ containers: [{ volumeMounts: 'x' }] }),
    ],
    ['template.spec.initContainers is not a list of objects', pod({ initContainers: {} })],
    [
      'template.spec.initContainers[].env is not a list of objects',
      pod({ initContainers: [{}, { env: [1] }] }),
    ],
    ['template.spec.volumes is not a list of objects', pod({ volumes: {} })],
  ])('fails its step in so many words, and its dependants are skipped: %s', (message, broken) => {
    const bad = template('first', { template: broken } as never);
    const result = decided(snapshot(flow(steps), { templates: { ...templates, first: bad } }));
    expect(result.step('a')).toMatchObject({ state: 'Failed', reason: 'InvalidJob', message });
    expect(result.step('b').state).toBe('Skipped');
    expect(result.creates).toEqual(['etl-own']);
  });

  it('its own volume under the name of a shared one: Failed/InvalidJob (rule 8)', () => {
    const volumes = [{ name: 'data', emptyDir: {} }];
    const pod = { template: { spec: { ...busybox.template.spec, volumes } } };
    const spec = { shareVolumes: [{ name: 'data', hostPath: { path: '/x' } }] };
    const result = decided(
      snapshot(flow(steps, { spec }), {
        templates: { ...templates, first: template('first', pod) },
      }),
    );
    expect(result.step('a')).toMatchObject({ state: 'Failed', reason: 'InvalidJob' });
    expect(result.step('a').message).toBe(
      'the template has its own volume "data" with another source than the shared one',
    );
  });
});

it.each(inheritedNames)('a JobTemplate called %s that was not read counts as missing', (name) => {
  const result = decided(snapshot(flow([step('a', { jobTemplateRef: name })])));
  expect(result.creates).toEqual([]);
  expect(result.step('a')).toMatchObject({ state: 'Blocked', reason: 'JobTemplateNotFound' });
});
