import { describe, expect, it } from 'vitest';
import type { FlowStep } from '#shared/api/job-flow.ts';
import { frozenHash, stepHashes } from '#shared/api/frozen-spec.ts';
import { omit } from '#shared/domain/omit.ts';
import { asUid } from '#shared/domain/objects.ts';
import { observe } from '../observe.ts';
import {
  at,
  busybox,
  flow,
  record,
  snapshot,
  started,
  step,
  template,
} from '../testing/builders.ts';
import { decided, inside, withRetry } from '../testing/decided.ts';
import type { FlowSnapshot } from '../snapshot.ts';
import { neededTemplates, readsTemplatesNow } from '../observe/needs.ts';

const mendedSpec = { ...busybox, backoffLimit: 2 };
const old = template('t');
const mended = { ...template('t', mendedSpec), generation: 4 };
const pin = ({ name, uid, hash, jobTemplate }: typeof old, generation = 3) => ({
  name,
  uid,
  generation,
  hash,
  jobTemplate,
});

describe('a retry by hand after a JobTemplate was corrected (rules 13 and 17)', () => {
  const steps = [
    step('ok', { jobTemplateRef: 'u' }),
    step('bad', { after: ['ok'], jobTemplateRef: 't' }),
    step('next', { after: ['bad'], jobTemplateRef: 'v' }),
  ];
  const others = [template('u'), template('v')].map((each) => pin(each, 1));
  const status = started(
    [record('ok', 'Succeed'), record('bad', 'Failed'), record('next', 'Skipped')],
    {
      state: 'Failed',
      completionTime: at(9),
      pinnedTemplates: [others[0]!, pin(old), others[1]!],
    },
  );
  const retried = flow(steps, { status, retry: '1' });
  const templates = { t: mended, v: template('v') };

  it('reads those of the steps that it starts, as the API server has them, and no others', () => {
    expect(neededTemplates(retried, [])).toEqual(['t', 'v']);
    expect(readsTemplatesNow(retried)).toBe(true);
    expect(
      neededTemplates(
        flow(steps, { status: { ...status, state: 'Running', retryNonce: '1' }, retry: '1' }),
        [],
      ),
    ).toEqual([]);
  });

  it('runs what failed from the corrected one, pins it and says so', () => {
    const asked = snapshot(retried, { templates });
    const begun = decided(withRetry(asked));
    expect(begun.creates).toEqual(['etl-bad-r1']);
    expect(inside(begun.created('etl-bad-r1'), 'spec', 'backoffLimit')).toBe(2);
    const result = decided(asked);
    expect(result.status.pinnedTemplates).toEqual([others[0], pin(mended, 4), others[1]]);
    const event = result.decision.plan
      .flat()
      .find((each) => each.kind === 'emitEvent' && each.reason === 'RetryRequested');
    expect(event).toMatchObject({
      note: 'failed and skipped steps are started again by hand (millrace.dev/retry=1; another retry needs another value); template t: generation 3 -> 4',
    });
    expect(result.decision.reasons).toContainEqual({
      code: 'TemplatePinnedAnew',
      message: 'template t: generation 3 -> 4',
    });
  });

  it('says that another template has the name', () => {
    const other = { ...mended, uid: asUid('another'), generation: 1 };
    const { decision } = decided(snapshot(retried, { templates: { ...templates, t: other } }));
    expect(decision.reasons).toContainEqual({
      code: 'TemplatePinnedAnew',
      message: 'template t: generation 3 -> 1 (another one of this name)',
    });
  });

  it('keeps to it in later decisions, whatever becomes of the template then', () => {
    const first = decided(snapshot(retried, { templates })).status;
    const later = flow(steps, {
      status: {
        ...first,
        jobStatusList: [
          record('ok', 'Succeed'),
          record('bad', 'Waiting', { attempt: 2 }),
          record('next', 'Waiting'),
        ],
      },
      retry: '1',
    });
    const result = decided(snapshot(later, { templates: { t: { ...old, generation: 9 } } }), 30);
    expect(inside(result.created('etl-bad-r2'), 'spec', 'backoffLimit')).toBe(2);
  });

  it('waits for a template that is gone, and starts with the next one of the name', () => {
    const gone = decided(snapshot(retried, { templates: { ...templates, t: null } }));
    expect(gone.creates).toEqual([]);
    expect(gone.step('bad')).toMatchObject({ state: 'Blocked', reason: 'JobTemplateNotFound' });
    expect(gone.status.pinnedTemplates).toEqual(others);
    const waiting = flow(steps, { status: gone.status, retry: '1' });
    expect(neededTemplates(waiting, [])).toEqual(['t']);
    expect(decided(snapshot(waiting, { templates: { t: mended } }), 60).creates).toEqual([
      'etl-bad-r1',
    ]);
  });

  it('leaves the pin of a failed step alone that is not retried', () => {
    const two = [step('a', { jobTemplateRef: 't' }), step('b', { jobTemplateRef: 'v' })];
    const both = started([record('a', 'Failed'), record('b', 'Failed')], {
      state: 'Failed',
      completionTime: at(9),
      pinnedTemplates: [pin(old), pin(template('v'), 1)],
    });
    const one = flow(two, { status: both, retry: 'b@1' });
    expect(neededTemplates(one, [])).toEqual(['v']);
    const result = decided(
      snapshot(one, { templates: { v: { ...template('v'), generation: 2 } } }),
    );
    expect(
      result.status.pinnedTemplates?.map(({ name, generation }) => [name, generation]),
    ).toEqual([
      ['t', 3],
      ['v', 2],
    ]);
  });
});

describe('a retry by hand after inline steps were corrected (rule 16)', () => {
  const before = [step('ok'), step('bad', { after: ['ok'] }), step('next', { after: ['bad'] })];
  const hashes = (flows: readonly FlowStep[]) => ({
    flowsHash: frozenHash({ flows }),
    stepHashes: stepHashes({ flows }),
  });
  const status = started(
    [record('ok', 'Succeed'), record('bad', 'Failed'), record('next', 'Skipped')],
    {
      state: 'Failed',
      completionTime: at(9),
      ...hashes(before),
    },
  );
  const edited = (name: string, change: Partial<FlowStep> = { jobTemplate: mendedSpec }) =>
    before.map((each) => (each.name === name ? { ...each, ...change } : each));
  const look = (flows: readonly FlowStep[], fields: Partial<FlowSnapshot> = {}, of = status) =>
    snapshot(flow(flows, { status: of, retry: '1', generation: 2 }), {
      ...hashes(flows),
      ...fields,
    });

  it('runs the step as it is now, and takes it for what is frozen from then on', () => {
    const flows = edited('bad');
    const result = decided(withRetry(look(flows)));
    expect(result.creates).toEqual(['etl-bad-r1']);
    expect(inside(result.created('etl-bad-r1'), 'spec', 'backoffLimit')).toBe(2);
    expect(result.condition('Accepted')).toBe('True/Valid');
    expect(result.status).toMatchObject(hashes(flows));
  });

  it('takes the correction of a step that was skipped', () => {
    expect(decided(withRetry(look(edited('next')))).creates).toEqual(['etl-bad-r1']);
  });

  it.each<[string, readonly FlowStep[], string]>([
    [
      'a step that succeeded',
      edited('ok'),
      'frozen fields were changed in step ok; nothing new starts',
    ],
    [
      'a dependency',
      edited('next', { dependencies: ['ok'] }),
      'steps, shared volumes or global parameters were changed',
    ],
    [
      'a name',
      edited('next', { name: 'other' }),
      'steps, shared volumes or global parameters were changed',
    ],
  ])('stands still where %s was changed all the same', (_, flows, words) => {
    const result = decided(look(flows));
    expect(result.creates).toEqual([]);
    expect(result.condition('Accepted')).toBe('False/SpecChanged');
    expect(result.status.message).toContain(words);
    expect(result.status.retryNonce).toBeUndefined();
  });

  it('goes on when that is taken back', () => {
    const changed = decided(look(edited('ok'))).status;
    expect(decided(withRetry(look(before, {}, changed))).creates).toEqual(['etl-bad-r1']);
  });

  it('stands still where a step was corrected while the flow runs again', () => {
    const running = { ...status, state: 'Running' as const };
    const result = decided(look(edited('bad'), {}, running));
    expect(result.condition('Accepted')).toBe('False/SpecChanged');
  });

  it('stands still where no hash of its steps was recorded, as by an earlier version', () => {
    const earlier = omit(status, 'stepHashes');
    const result = decided(look(edited('bad'), {}, earlier));
    expect(result.condition('Accepted')).toBe('False/SpecChanged');
  });

  it('is seen with the hashes that it is compared by', async () => {
    const object = flow(edited('bad'), { status, retry: '1' });
    const reader = {
      get: () => Promise.resolve(object),
      list: () => Promise.resolve([]),
      listByOwner: () => Promise.resolve([]),
    };
    const { metadata } = object;
    const key = {
      apiVersion: object.apiVersion,
      kind: object.kind,
      namespace: 'default',
      name: metadata.name,
      uid: metadata.uid,
    };
    const seen = await observe(key, reader as never);
    expect(seen).toMatchObject(hashes(edited('bad')));
  });
});
