/** Images start a process with these: its user, its files, and settings that return memory after a burst. */

/**
 * MiB. Most objects of a request or event are garbage before a nursery of this size is full. The default of 64
 * uses more memory and saves no time.
 */
export const nodeSettings = ['--max-semi-space-size=16'];

/**
 * Freed memory is returned to the machine instead of growing the heap (mallopt(3)). A threshold below these 4
 * MiB returns no more after a burst, and costs a tenth of the CPU under light load.
 */
export const mallocSettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '4194304',
};

/** An unprivileged user: `runAsNonRoot` requires a number (restricted Pod Security). */
export const imageUser = '65532:65532';

/** The file of the bundle that an image starts, from its root. */
export const entryPath = '/app/main.js';

/** The environment of a process in an image. */
export const imageEnvironment = { NODE_ENV: 'production', ...mallocSettings };
