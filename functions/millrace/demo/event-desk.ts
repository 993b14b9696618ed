/** Where a demo looks at the events of a running Millrace and delivers one of them once more. */
import type { EventReference } from '#shared/events/event-reference.ts';
import type { Uid } from '#shared/domain/objects.ts';

export interface RecordedEvent {
  readonly event: EventReference;
  readonly atMs: number;
}

export interface FlowRecords {
  /** About the flow and what it controls, oldest first. */
  readonly events: readonly RecordedEvent[];
  /** Decisions about the flow that wrote something. */
  readonly decisions: number;
}

export interface Redelivery {
  /** Whether the function has looked at it. */
  readonly isHandled: boolean;
  /** Whether the journal took it for an event that it had not seen. */
  readonly isRecordedAgain: boolean;
  /** Decisions that wrote something because of it. */
  readonly effects: number;
}

export interface EventDesk {
  recordsOf(flow: Uid): Promise<FlowRecords>;
  /** Records and enqueues a recorded event again, as the bridge does. Undefined: not recorded. */
  redeliver(eventId: string): Promise<Redelivery | undefined>;
}
