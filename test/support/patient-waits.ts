/**
 * Setup of every project. By default `vi.waitFor` and `vi.waitUntil` give up after a second, and a busy machine
 * may need longer for a Pod or a process. They return as soon as the condition holds, so patience costs nothing.
 */
import { vi } from 'vitest';
import { patienceMs } from './patience.ts';

interface Waiting {
  readonly timeout?: number;
  readonly interval?: number;
}

const patient = (options: number | Waiting | undefined): number | Waiting =>
  typeof options === 'number' ? options : { timeout: patienceMs, ...options };

// Workers that keep their modules run this once for each file.
const marked = vi as typeof vi & { isPatient?: true };
if (marked.isPatient !== true) {
  const { waitFor, waitUntil } = vi;
  marked.isPatient = true;
  vi.waitFor = (callback, options) => waitFor(callback, patient(options));
  vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
}
