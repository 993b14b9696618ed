/** Invented addresses, the same for the same Pod in every run. */
import type { Node } from '../objects/node.ts';
import type { Pod, PodStatus } from '../objects/pod.ts';

/** podIP in 10.0.0.0/8 from the Pod's uid, hostIP from the node. */
export function podAddress(
  pod: Pod,
  { status }: Node,
): Pick<PodStatus, 'podIP' | 'podIPs' | 'hostIP' | 'hostIPs'> {
  const host = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  const podIP = pod.status?.podIP ?? addressFrom(pod.metadata.uid);
  return {
    ...(host !== undefined && { hostIP: host, hostIPs: [{ ip: host }] }),
    podIP,
    podIPs: [{ ip: podIP }],
  };
}

/** 10.a.b.c by FNV-1a; the last part is never 0 or 255. */
export function addressFrom(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return `10.${(hash >>> 24) & 255}.${(hash >>> 16) & 255}.${((hash >>> 4) % 254) + 1}`;
}
