import type { Verdict } from '#shared/domain/verdict.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';

/** Brings an item to its function. Rejects only by a fault of the program, which counts as a failure. */
export type Deliver = (item: WorkItem, signal: AbortSignal) => Promise<Verdict>;
