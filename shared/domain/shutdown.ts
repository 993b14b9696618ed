/** `spec.shutdown`, as JobFlow and DaemonJob share it. */

export type ShutdownMode = 'Stop' | 'Terminate';

/** Reason for the object, and for its parts that did not run or were deleted by the shutdown. */
export const shutdown = 'Shutdown';

/** Message for parts that failed by the shutdown. */
export const wasShutDown = 'shut down (spec.shutdown)';

/** Reason while running parts end. */
export const shuttingDown = 'ShuttingDown';

export const whatRunsIsDeleted = 'nothing new starts, and what runs is deleted';

const means: Readonly<Record<ShutdownMode, string>> = {
  Stop: 'nothing new starts, and what runs still ends; to delete it as well set spec.shutdown to Terminate',
  Terminate: whatRunsIsDeleted,
};

/** Message while running parts end. */
export function shuttingDownMessage(mode: ShutdownMode): string {
  return `spec.shutdown is ${mode}: ${means[mode]}`;
}

/** While it is set, nothing is retried. */
export function retryRefusal(mode: ShutdownMode) {
  const message = `nothing is retried: spec.shutdown is ${mode}: remove it first, then retry`;
  return { reason: shutdown, message } as const;
}
