/**
 * Namespaces where Millrace creates nothing. No webhook of Millrace is called there, because the cluster's
 * own components and Millrace must not wait for one. So no object there was ever judged. Webhooks,
 * functions and policies read this list.
 */

/** The same in every cluster. */
const ofTheCluster = ['kube-system', 'kube-node-lease', 'kube-public'] as const;

export interface Residence {
  /** The namespace of Millrace's own processes. Absent: they do not run in this cluster. */
  readonly own?: string | undefined;
  /**
   * The only namespace that is served. It is never exempt, because the operator named it. Absent: all
   * namespaces.
   */
  readonly served?: string | undefined;
}

export function exemptNamespaces({ own, served }: Residence): readonly string[] {
  const all = [...ofTheCluster, ...(own === undefined ? [] : [own])];
  return [...new Set(all)].filter((name) => name !== served);
}
