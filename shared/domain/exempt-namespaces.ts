/**
 * Where Millrace runs nothing. The API server calls no webhook of ours there, since what keeps the cluster
 * and Millrace itself alive must not wait for one; so nothing that is written there was ever judged, and
 * the functions create nothing of it. Webhooks, functions and policies read this one list.
 */

/** Of every cluster. */
const ofTheCluster = ['kube-system', 'kube-node-lease', 'kube-public'] as const;

export interface Residence {
  /** Where the processes of Millrace are. Absent: in no namespace of this cluster. */
  readonly own?: string | undefined;
  /** The only namespace that is served: an operator who names one means it. Absent: all are. */
  readonly served?: string | undefined;
}

export function exemptNamespaces({ own, served }: Residence): readonly string[] {
  const all = [...ofTheCluster, ...(own === undefined ? [] : [own])];
  return [...new Set(all)].filter((name) => name !== served);
}
