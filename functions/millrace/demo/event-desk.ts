/** Reads the events of a running Millrace for a demo, and delivers one of them again. */
import type { EventReference } from '#shared/events/event-reference.ts';
import type { Uid } from '#shared/domain/objects.ts';

export interface RecordedEvent {
  readonly event: EventReference;
  readonly atMs: number;
}

export interface FlowRecords {
  /** Events about the flow and its children, oldest first. */
  readonly events: readonly RecordedEvent[];
  /** Decisions about the flow that wrote something. */
  readonly decisions: number;
}

export interface Redelivery {
  /** Whether the function has processed it. */
  readonly isHandled: boolean;
  /** Whether the journal recorded it again, as if it were new. */
  readonly isRecordedAgain: boolean;
  /** Number of decisions that wrote something because of it. */
  readonly effects: number;
}

export interface EventDesk {
  recordsOf(flow: Uid): Promise<FlowRecords>;
  /** Records and enqueues a recorded event again, as the bridge does. Undefined: it is not recorded. */
  redeliver(eventId: string): Promise<Redelivery | undefined>;
}
