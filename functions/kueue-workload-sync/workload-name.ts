/** Kueue's name for the Workload of a job (pkg/controller/jobframework/workload_names.go). */
import { hash } from 'node:crypto';

export interface NamedJob {
  readonly kind: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly name: string;
  readonly uid: string;
}

const longestName = 253;
const hashLength = 5;

/** `extra` distinguishes several Workloads of one job. */
export function workloadName({ kind, group, name, uid }: NamedJob, extra = ''): string {
  const parts = [kind, group, name, uid, ...(extra === '' ? [] : [extra])];
  const digest = hash('sha1', parts.join('\n'), 'hex').slice(0, hashLength);
  const prefix = `${kind.toLowerCase()}-${name}`.slice(0, longestName - hashLength - 1);
  return `${prefix}-${digest}`;
}
