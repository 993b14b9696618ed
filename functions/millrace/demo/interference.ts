/**
 * Two disturbing deliveries: one event a second time, and one that is older than the state of the flow. Millrace does
 * nothing about either if it keeps its laws.
 */
import type { Uid } from '#shared/domain/objects.ts';
import type { EventDesk, RecordedEvent, Redelivery } from './event-desk.ts';
import type { FlowPicture } from '../picture/flow-picture.ts';

export interface Delivered {
  readonly kind: 'duplicate' | 'old';
  /** The step whose Job the event is about. */
  readonly step: string;
  readonly resourceVersion: string;
  readonly result: Redelivery;
}

interface JobOfStep {
  readonly step: string;
  readonly uid: Uid;
}

/** Whether a step has ended and its dependants have started, so that no event is under way. */
export function isQuiet({ steps }: FlowPicture): boolean {
  const states = steps.map(({ state }) => state);
  return states.includes('Succeed') && states.includes('Running') && !states.includes('Pending');
}

/** Delivers the latest and the first event of an ended step again. */
export async function interfere(
  desk: EventDesk,
  flow: Uid,
  ended: readonly JobOfStep[],
): Promise<readonly Delivered[]> {
  const { events } = await desk.recordsOf(flow);
  const delivered: Delivered[] = [];
  for (const { kind, step, recorded } of choices(events, ended)) {
    const result = await desk.redeliver(recorded.event.id);
    const { resourceVersion } = recorded.event;
    if (result !== undefined) delivered.push({ kind, step, resourceVersion, result });
  }
  return delivered;
}

function choices(events: readonly RecordedEvent[], ended: readonly JobOfStep[]) {
  for (const { step, uid } of ended) {
    const about = events.filter(({ event }) => event.uid === uid);
    const [first] = about;
    const last = about.at(-1);
    if (first === undefined || last === undefined || about.length < 2) continue;
    return [
      { kind: 'duplicate', step, recorded: last },
      { kind: 'old', step, recorded: first },
    ] as const;
  }
  return [];
}
