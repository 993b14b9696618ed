import { hash } from 'node:crypto';
import { isDns1123Label } from './names.ts';

const longestOwner = 30;
const longestNode = 23;
const hashLength = 8;

/**
 * The name of the Job of a DaemonJob on one node, always the same one for one attempt (law 2):
 * `<daemonjob>-<node>` where that is a DNS label, and otherwise shortened parts with a hash. The hash is of
 * all three, whole: `a.b` and `a-b` become the same text, and so do two owners with one beginning.
 */
export function nodeJobName(daemonJob: string, node: string, attempt: number): string {
  const plain = `${daemonJob}-${node}`;
  if (attempt === 0 && isDns1123Label(plain)) return plain;
  const digest = hash('sha256', `${daemonJob}/${node}/${attempt}`, 'hex').slice(0, hashLength);
  return [daemonJob.slice(0, longestOwner), sanitised(node), digest].join('-');
}

/** Node names are DNS subdomains; nothing else is left of them here. */
function sanitised(node: string): string {
  return node
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longestNode);
}
