import { expect, test } from 'vitest';
import type { Deliver, Delivery } from '#functions/dispatcher/deliver.ts';
import { workItem } from '#functions/dispatcher/testing/work-item.ts';
import { NextDeliveries } from './next-deliveries.ts';

const never = new AbortController().signal;
const parked: Delivery = { kind: 'parked', detail: 'no' };

/** Deliveries that the test ends, in the order in which they began. */
function held() {
  const deliveries = new NextDeliveries();
  const begun: PromiseWithResolvers<Delivery>[] = [];
  const deliver: Deliver = deliveries.listeningTo(() => {
    const one = Promise.withResolvers<Delivery>();
    begun.push(one);
    return one.promise;
  });
  return { deliveries, begun, deliver };
}

test('a caller gets the delivery that begins afterwards, not the one under way', async () => {
  const { deliveries, begun, deliver } = held();
  const item = workItem('a');
  const underWay = deliver(item, never);
  const result = deliveries.of(item, never);
  const next = deliver(item, never);
  begun[0]?.resolve({ kind: 'done' });
  await underWay;
  begun[1]?.resolve(parked);
  expect(await result).toEqual(parked);
  expect(await next).toEqual(parked);
});

test('all callers that asked about an object get the result, and no caller that asked about another', async () => {
  const { deliveries, begun, deliver } = held();
  const stop = new AbortController();
  const result = [deliveries.of(workItem('a'), never), deliveries.of(workItem('a'), never)];
  const other = deliveries.of(workItem('b'), stop.signal);
  const delivered = deliver(workItem('a'), never);
  begun[0]?.resolve(parked);
  expect(await Promise.all(result)).toEqual([parked, parked]);
  await delivered;
  stop.abort(new Error('enough'));
  await expect(other).rejects.toThrow('enough');
});

test('a delivery that breaks is returned as a failure and stays one', async () => {
  const { deliveries, begun, deliver } = held();
  const result = deliveries.of(workItem('a'), never);
  const delivered = deliver(workItem('a'), never);
  begun[0]?.reject(new Error('broken'));
  await expect(delivered).rejects.toThrow('broken');
  expect(await result).toEqual({ kind: 'retry', detail: 'broken' });
});
