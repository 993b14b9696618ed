import { labels } from './labels.ts';
import type { ObjectMeta } from './objects.ts';

/**
 * What is remembered of a child that may be gone: its name and, of a Job that is for one machine, the uid of that. A
 * machine may have the name of a former one, and so may its Job. A slash is in neither of the two.
 */
export function traceOf({ name, labels: own }: Pick<ObjectMeta, 'name' | 'labels'>): string {
  const machine = own?.[labels.nodeUid];
  return machine === undefined ? name : traceOfMachine(name, machine);
}

/** Of the Job of this name that is for this machine. */
export function traceOfMachine(name: string, machine: string): string {
  return `${name}/${machine}`;
}

/** Of the child that left this trace. */
export function nameOfTrace(trace: string): string {
  const [name = ''] = trace.split('/', 1);
  return name;
}
