/** Kueue's own configuration (config.kueue.x-k8s.io), for a manager beside a test control plane. */
import { frameworkName, queuedKinds } from '#shared/api/work/queued-kinds.ts';

export interface KueuePorts {
  readonly health: number;
  readonly webhook: number;
}

export const kueueNamespace = 'kueue-system';

/** Millrace's kinds are external frameworks: Kueue admits their Workloads and leaves the objects to Millrace. */
export function kueueConfiguration(ports: KueuePorts, certificates: string): object {
  return {
    apiVersion: 'config.kueue.x-k8s.io/v1beta2',
    kind: 'Configuration',
    namespace: kueueNamespace,
    health: { healthProbeBindAddress: `127.0.0.1:${ports.health}` },
    metrics: { bindAddress: '0' },
    webhook: { host: '127.0.0.1', port: ports.webhook, certDir: certificates },
    leaderElection: { leaderElect: false },
    internalCertManagement: { enable: false },
    manageJobsWithoutQueueName: false,
    integrations: {
      frameworks: ['batch/job', 'pod'],
      externalFrameworks: queuedKinds.map(frameworkName),
    },
    multiKueue: { externalFrameworks: queuedKinds.map((kind) => ({ name: frameworkName(kind) })) },
    waitForPodsReady: { timeout: '5m' },
    featureGates: { VisibilityOnDemand: false },
  };
}
