import { hash } from 'node:crypto';
import { isDns1123Label } from './names.ts';

const longestOwner = 30;
const longestNode = 23;
const hashLength = 8;

/**
 * The name of a DaemonJob's Job on one node, the same for the same attempt (law 2). It is
 * `<daemonjob>-<node>` if that is a DNS label, else shortened parts with a hash. The hash covers all three
 * parts in full. Otherwise `a.b` and `a-b` would give one name, and so would two owners with the same
 * beginning.
 */
export function nodeJobName(daemonJob: string, node: string, attempt: number): string {
  const plain = `${daemonJob}-${node}`;
  if (attempt === 0 && isDns1123Label(plain)) return plain;
  const digest = hash('sha256', `${daemonJob}/${node}/${attempt}`, 'hex').slice(0, hashLength);
  return [daemonJob.slice(0, longestOwner), sanitised(node), digest].join('-');
}

/** Node names are DNS subdomains, so only dots need replacing. */
function sanitised(node: string): string {
  return node
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longestNode);
}
