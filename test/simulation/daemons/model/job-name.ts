/** The name of a node's Job, always the same for one attempt. */
import { createHash } from 'node:crypto';
import type { DaemonJob } from '#shared/api/daemon-job.ts';

const known = new Map<string, string>();

export function jobName({ metadata: { name } }: DaemonJob, node: string, attempt: number): string {
  const key = `${name}/${node}/${attempt}`;
  const jobName = known.get(key) ?? newName(name, node, attempt);
  known.set(key, jobName);
  return jobName;
}

/** The plain name if a Job may have it, else one with a hash that makes it unique. */
function newName(name: string, node: string, attempt: number): string {
  const natural = `${name}-${node}`;
  if (attempt === 0 && natural.length <= 63 && /^[a-z0-9-]+$/.test(natural)) return natural;
  const mark = createHash('sha256').update(`${name}/${node}/${attempt}`).digest('hex').slice(0, 8);
  const words = node.split(/[^a-z0-9]+/).join('-');
  return `${name.slice(0, 30)}-${words.slice(0, 23)}-${mark}`;
}
