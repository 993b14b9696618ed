import { labels } from './labels.ts';
import type { ObjectMeta } from './objects.ts';

/**
 * Identifies a child that may be gone: its name and, for the Job of one machine, that machine's uid. A new machine
 * may reuse a name, and so may its Job. Neither part contains a slash.
 */
export function traceOf({ name, labels: own }: Pick<ObjectMeta, 'name' | 'labels'>): string {
  const machine = own?.[labels.nodeUid];
  return machine === undefined ? name : traceOfMachine(name, machine);
}

/** For the Job of this name on this machine. */
export function traceOfMachine(name: string, machine: string): string {
  return `${name}/${machine}`;
}

/** The name in this trace. */
export function nameOfTrace(trace: string): string {
  const [name = ''] = trace.split('/', 1);
  return name;
}
