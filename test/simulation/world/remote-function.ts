/** A delivery over HTTP: it may get lost, lose its answer, or take effect twice. */
import type { Deliver, Delivery } from '#functions/dispatcher/deliver.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { SimulationContext } from './simulation-context.ts';
import { cluster, type Life } from './timeline.ts';

/** Time limit of a function's answer, in milliseconds. */
const deliveryTimeoutMs = 30_000;

export function remoteFunction(
  { timeline, faults, latency, random }: SimulationContext,
  life: Life,
  functions: () => readonly SimulatedProcess[],
): Deliver {
  return (item, signal) =>
    new Promise<Delivery>((resolve) => {
      const answer = (delivery: Delivery): void => {
        timeline.after(latency(), life, `verdict ${delivery.kind}`, () => resolve(delivery));
      };
      timeline.after(deliveryTimeoutMs, life, 'delivery timeout', () =>
        resolve({ kind: 'retry', detail: 'no answer in time' }),
      );
      timeline.after(latency(), cluster, `deliver ${item.key.name}`, () => {
        const hosts = functions().filter(({ processItem }) => processItem !== undefined);
        if (hosts.length === 0 || faults.strikes('deliveryUnreachable')) {
          answer({ kind: 'unreachable', detail: 'connection refused' });
          return;
        }
        const host = random.pick(hosts);
        const called = new AbortController();
        signal.addEventListener('abort', () => called.abort(), { once: true });
        if (faults.strikes('deliveryDuplicated')) {
          const other = random.pick(hosts);
          timeline.after(latency(), other.life, 'second delivery', () => {
            void other.processItem?.(item, new AbortController().signal);
          });
        }
        timeline.after(0, host.life, `process ${item.key.name}`, () => {
          void host.processItem?.(item, called.signal).then((verdict) => {
            if (faults.strikes('deliveryReplyLost')) {
              answer({ kind: 'retry', detail: 'the answer was lost' });
            } else answer(verdict);
          });
        });
      });
    });
}
