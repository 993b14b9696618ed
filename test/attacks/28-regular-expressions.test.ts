/**
 * The lint refuses regular expressions of more than linear cost in the sources. These tests are about the patterns in
 * schemas.
 */
import { analyse } from 'scslre';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '#functions/list.ts';
import { suspendAdmissions } from '#functions/suspend-admission/testing/admissions.ts';
import {
  answer,
  clock,
  creation,
  object,
  type ObjectFields,
  policies,
  policy,
  queueLabel,
} from '#functions/suspend-admission/testing/reviews.ts';
import { declaredConfigurations } from '../../deploy/generate.ts';
import { dueHeaders } from '#shared/runtime/testing/served-function.ts';
import { openDuring } from '#test/support/suspension/suspend-manifests.ts';
import { startFlowAdvance, type FlowAdvanceProcess } from '#test/support/flow-advance-process.ts';

/** Every `pattern` below a schema. */
function patternsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) =>
    name === 'pattern' && typeof child === 'string' ? [child] : patternsIn(child),
  );
}

it('#28 holds no pattern in a schema that costs more than linear work', () => {
  const patterns = new Set(patternsIn([...kinds, ...declaredConfigurations().values()]));
  expect(patterns.size).toBeGreaterThan(5);
  const costly = [...patterns].filter(
    (source) => analyse({ source, flags: 'u' }).reports.length > 0,
  );
  expect(costly).toEqual([]);
});

describe('a review with texts that are made to be tried in every way', () => {
  const closed = policy('closed', { schedule: openDuring() });
  const [hold, queue] = suspendAdmissions({ policies: policies([closed]), clock });
  const long = 250_000;

  it.each<[string, ObjectFields]>([
    ['a queue name', { labels: { [queueLabel]: `a${'-'.repeat(long)}` } }],
    ['a queue name of dots', { labels: { [queueLabel]: `${'a.'.repeat(long / 2)}-` } }],
    [
      'an execution time',
      { labels: { 'kueue.x-k8s.io/max-exec-time-seconds': `${'1'.repeat(long)}x` } },
    ],
    [
      'a gate',
      { annotations: { 'kueue.x-k8s.io/admission-gated-by': `a.io/${'b'.repeat(long)}*` } },
    ],
    ['empty gates', { annotations: { 'kueue.x-k8s.io/admission-gated-by': ','.repeat(long) } }],
    [
      'many gates',
      {
        annotations: {
          'kueue.x-k8s.io/admission-gated-by': Array.from(
            { length: 40_000 },
            (_, n) => `g${n}`,
          ).join(),
        },
      },
    ],
  ])('#28 is refused in few words: %s', async (_, fields) => {
    const decision = await answer(queue!, creation(object('JobFlow', fields)));
    if (decision.allowed) throw new Error('it was allowed');
    expect(decision.message.length).toBeLessThan(10_000);
  });

  it.each([
    `Run;until=${'2'.repeat(long)}`,
    `Run${' '.repeat(long)}x`,
    `${' '.repeat(long)}Run;until=`,
    `Hold;until=2026-01-01T00:00:00.${'0'.repeat(long)}`,
  ])('#28 holds what an override that cannot be read is on', async (text) => {
    const annotations = { 'millrace.dev/suspend-override': text };
    const decision = await answer(hold!, creation(object('Job', { annotations })));
    expect(decision).toMatchObject({ allowed: true, object: { spec: { suspend: true } } });
  });
});

describe('texts that are made to be tried in every way', () => {
  let served: FlowAdvanceProcess;
  beforeAll(async () => {
    served = await startFlowAdvance();
  });
  afterAll(() => served.stop());

  const send = (headers: Record<string, string>, body = '{}'): Promise<Response> =>
    fetch(served.url, {
      method: 'POST',
      headers: { ...dueHeaders('a'), ...headers },
      body,
      // A frozen process never answers. This only ends the test.
      signal: AbortSignal.timeout(20_000),
    });
  const structured = (attributes: Record<string, string>): Promise<Response> => {
    const own = Object.entries(dueHeaders('a')).map(([name, value]) => [name.slice(3), value]);
    const event = new Map([...own, ...Object.entries(attributes)] as [string, string][]);
    const body = JSON.stringify(Object.fromEntries(event));
    return send({ 'content-type': 'application/cloudevents+json' }, body);
  };
  const blanks = '; '.repeat(3_000);

  it('#28 answers a content type of blanks and separators', async () => {
    expect((await send({ 'content-type': `a/b${blanks}"` })).status).toBe(415);
    expect((await structured({ datacontenttype: `a/b${blanks}"` })).status).toBe(400);
  });

  it.each([
    ['time', `2018-04-05T17:31:00.${'0'.repeat(6_000)}`],
    ['dataschema', `${'a'.repeat(6_000)}%`],
    ['source', `${'%20'.repeat(2_000)}%`],
    ['type', `dev.millrace.${'a'.repeat(6_000)}`],
    ['name', `a${'-'.repeat(6_000)}`],
    ['apiversion', `${'a.'.repeat(3_000)}/v1/`],
    ['causationid', '-'.repeat(6_000)],
    ['uid', `${'a'.repeat(6_000)}/`],
  ])('#28 answers an event whose %s nearly fits', async (name, value) => {
    expect((await structured({ [name]: value })).status).toBeOneOf([400, 422]);
  });

  it('#28 answers data that is nearly base64', async () => {
    const data = `${'QUJD'.repeat(100_000)}*`;
    expect((await structured({ data_base64: data })).status).toBe(400);
  });

  it('#28 serves a delivery after all of them', async () => {
    expect((await send({ 'content-type': 'application/json' })).status).toBe(204);
  });
});
