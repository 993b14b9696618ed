/**
 * Two deliveries that should not be: an event for the second time, and one that is older than what
 * the flow has come to. A Millrace that keeps its laws does nothing about either.
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

/** Whether a step has ended and its dependants have started, so that nothing is under way. */
export function isQuiet({ steps }: FlowPicture): boolean {
  const states = steps.map(({ state }) => state);
  return states.includes('Succeed') && states.includes('Running') && !states.includes('Pending');
}

/** The latest and the first event of a step that has ended, delivered once more each. */
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
