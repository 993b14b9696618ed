import type { KubeClient } from '#shared/kube/client.ts';
import type { EventDesk } from './event-desk.ts';

/** What a demo runs on. */
export interface DemoTarget {
  /** In one line, for the person. */
  readonly describe: string;
  readonly kind: 'own' | 'up' | 'cluster';
  readonly client: KubeClient;
  readonly namespace: string;
  /** How kubectl is called so that it asks this cluster and no other. Absent: nothing is left to ask. */
  readonly kubectl?: string;
  /** Absent: its queue and journal cannot be reached from here. */
  readonly desk?: EventDesk;
  close(): Promise<void>;
}
