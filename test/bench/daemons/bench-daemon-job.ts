import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { NewObject } from '#shared/domain/objects.ts';

/** A DaemonJob on the nodes with this label. */
export function benchDaemonJob(
  namespace: string,
  name: string,
  { label, runFor }: { readonly label: string; readonly runFor: string },
): NewObject & Pick<DaemonJob, 'spec'> {
  return {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'DaemonJob',
    metadata: { namespace, name },
    spec: {
      template: {
        metadata: { annotations: { 'simulate.millrace.dev/run-for': runFor } },
        spec: {
          nodeSelector: { [label]: 'true' },
          containers: [{ name: 'main', image: 'busybox:1.28', command: ['sh', '-c', 'sleep 1'] }],
        },
      },
    },
  };
}
