import { afterAll, beforeAll, expect, it } from 'vitest';
import { dueHeaders } from '#shared/runtime/testing/served-function.ts';
import { startFlowAdvance, type FlowAdvanceProcess } from '#test/support/flow-advance-process.ts';

let served: FlowAdvanceProcess;
beforeAll(async () => {
  served = await startFlowAdvance();
});
afterAll(() => served.stop());

const event = Object.fromEntries(
  Object.entries(dueHeaders('a')).map(([name, value]) => [name.slice(3), value]),
);
const structured = JSON.stringify(event).slice(0, -1);
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

async function answerTo(type: string, body: string): Promise<readonly [number, string]> {
  const headers = { ...dueHeaders('a'), 'content-type': type };
  const response = await fetch(served.url, { method: 'POST', headers, body });
  const { status } = response;
  if (status === 204) return [status, ''];
  return [status, ((await response.json()) as { readonly detail: string }).detail];
}
const asEvent = (body: string) => answerTo('application/cloudevents+json', body);
const asData = (body: string) => answerTo('application/json', body);

it('#26 refuses JSON 100,000 levels deep, as event, as data and in base64', async () => {
  const deep = nested(100_000);
  const encoded = Buffer.from(deep).toString('base64');
  for (const [status, detail] of [
    await asEvent(deep),
    await asEvent(`${structured},"data":${deep}}`),
    await asEvent(`${structured},"data_base64":"${encoded}"}`),
    await asData(deep),
    await asData(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
  ]) {
    expect([status, detail]).toEqual([400, expect.stringContaining('deeper than 64')]);
  }
});

it('#26 refuses depth without an end', async () => {
  expect((await asEvent('['.repeat(500_000)))[0]).toBe(400);
  expect((await asEvent('{"a":'.repeat(100_000)))[0]).toBe(400);
});

it('#26 refuses a member that is given twice, also in another spelling', async () => {
  const twice = [400, expect.stringContaining('twice') as string];
  expect(await asEvent(`${structured},"name":"other"}`)).toEqual(twice);
  expect(await asEvent(`${structured},"\\u006eame":"other"}`)).toEqual(twice);
  expect(await asData('{"name":"a","name":"b"}')).toEqual(twice);
});

it('#26 refuses __proto__, and takes constructor and prototype for plain names', async () => {
  const proto = [400, expect.stringContaining('__proto__') as string];
  expect(await asEvent(`${structured},"__proto__":{"name":"b"}}`)).toEqual(proto);
  expect(await asData('{"metadata":{"__proto__":{"uid":"u-b"}}}')).toEqual(proto);
  expect(await asData('{"\\u005f_proto__":1}')).toEqual(proto);
  const plain = '{"constructor":{"prototype":{"name":"b"}},"toString":1,"hasOwnProperty":null}';
  expect(await asData(plain)).toEqual([204, '']);
});

it('#26 serves as before after all of them', async () => {
  expect(await asEvent(`${structured}}`)).toEqual([204, '']);
  expect(served.api.seen({}).every(({ path }) => path.endsWith('/jobflows/a'))).toBe(true);
});
