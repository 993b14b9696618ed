/** How images start a process: as whom, with what, and so that what a burst took goes back to the machine. */

/**
 * Most of what comes with a request or an event is garbage before a nursery of this size is full, MiB; the
 * usual one of 64 takes more of the machine and saves no time.
 */
export const nodeSettings = ['--max-semi-space-size=16'];

/**
 * What is freed goes back to the machine, not to a heap that only grows (mallopt(3)). A smaller threshold than
 * these 4 MiB gives back no more after a burst, and costs a tenth of the processor where little is done at once.
 */
export const mallocSettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '4194304',
};

/** Nobody in particular: `runAsNonRoot` wants a number (restricted Pod Security). */
export const imageUser = '65532:65532';

/** What of the bundle an image starts, from its root. */
export const entryPath = '/app/main.js';

/** The environment of a process in an image. */
export const imageEnvironment = { NODE_ENV: 'production', ...mallocSettings };
