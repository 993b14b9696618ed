import type { KubeClient } from '#shared/kube/client.ts';
import type { EventDesk } from './event-desk.ts';

/** The Millrace and cluster that a demo runs on. */
export interface DemoTarget {
  /** One line for the user. */
  readonly describe: string;
  readonly kind: 'own' | 'up' | 'cluster';
  readonly client: KubeClient;
  readonly namespace: string;
  /** The kubectl command for exactly this cluster. Absent: the cluster is gone after the demo. */
  readonly kubectl?: string;
  /** Absent: queue and journal cannot be reached from here. */
  readonly desk?: EventDesk;
  close(): Promise<void>;
}
