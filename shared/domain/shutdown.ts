/** `spec.shutdown` of a JobFlow and of a DaemonJob: what both say of it. */

export type ShutdownMode = 'Stop' | 'Terminate';

/** Reason of what was shut down, and of its parts that did not run or were deleted for it. */
export const shutdown = 'Shutdown';

/** Said of what has failed for it. */
export const wasShutDown = 'shut down (spec.shutdown)';

/** The reason while what runs ends. */
export const shuttingDown = 'ShuttingDown';

export const whatRunsIsDeleted = 'nothing new starts, and what runs is deleted';

const means: Readonly<Record<ShutdownMode, string>> = {
  Stop: 'nothing new starts, and what runs still ends; to delete it as well set spec.shutdown to Terminate',
  Terminate: whatRunsIsDeleted,
};

/** While what runs ends. */
export function shuttingDownMessage(mode: ShutdownMode): string {
  return `spec.shutdown is ${mode}: ${means[mode]}`;
}

/** Nothing is retried while it is set. */
export function retryRefusal(mode: ShutdownMode) {
  const message = `nothing is retried: spec.shutdown is ${mode}: remove it first, then retry`;
  return { reason: shutdown, message } as const;
}
