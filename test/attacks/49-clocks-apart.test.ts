import { afterAll, beforeAll, expect, it } from 'vitest';
import { startFlowAdvance, type FlowAdvanceProcess } from '#test/support/flow-advance-process.ts';
import { newDeliveryKey, signedDelivery } from '#test/support/signed-delivery.ts';

const key = newDeliveryKey();
const minuteMs = 60_000;
let served: FlowAdvanceProcess;
beforeAll(async () => {
  served = await startFlowAdvance({ MILLRACE_DELIVERY_KEY: key });
});
afterAll(() => served.stop());

async function sendSignedAt(atMs: number): Promise<Response> {
  return fetch(served.url, { method: 'POST', ...signedDelivery('a', key, atMs) });
}

it.each([-10, 10])(
  '#49 refuses a sender whose clock is %d minutes off, names both times and counts it',
  async (minutes) => {
    const metric = 'millrace_http_unauthenticated_total{reason="clock"}';
    const before = await served.metric(metric);
    const atMs = Date.now() + minutes * minuteMs;
    const response = await sendSignedAt(atMs);
    expect(response.status).toBe(401);
    const { detail } = (await response.json()) as { readonly detail: string };
    const [sent, here] = [...detail.matchAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g)].map(([time]) => time);
    expect(Date.parse(sent ?? '')).toBe(Math.floor(atMs / 1_000) * 1_000);
    expect(Math.abs(Date.parse(here ?? '') - Date.now())).toBeLessThan(minuteMs);
    expect(await served.metric(metric)).toBe(before + 1);
    expect(served.api.seen({})).toEqual([]);
  },
);

it('#49 takes clocks that are four minutes apart', async () => {
  for (const minutes of [-4, 4]) {
    expect((await sendSignedAt(Date.now() + minutes * minuteMs)).status).toBe(204);
  }
});
