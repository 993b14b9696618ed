/** Builders of users' objects with defaults; a test states only what matters. */
import type { DaemonJobSpec } from '#shared/api/daemon-job.ts';
import type { Manifest } from '../flows/cluster-api.ts';
import { type Work, work } from '../flows/flow-manifest.ts';
import { poolLabel, testTaint } from './test-nodes.ts';

export interface DaemonOptions
  extends Omit<Work, 'job'>, Partial<Omit<DaemonJobSpec, 'template'>> {}

/** A DaemonJob on the nodes of this pool, with a toleration for test nodes. */
export function daemonJob(name: string, pool: string, options: DaemonOptions = {}): Manifest {
  const { runFor, exitCode, pod, podMetadata, ...spec } = options;
  const { template } = work({
    ...(runFor === undefined ? {} : { runFor }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(podMetadata === undefined ? {} : { podMetadata }),
    pod: {
      nodeSelector: { [poolLabel]: pool },
      tolerations: [{ key: testTaint, operator: 'Exists' }],
      ...pod,
    },
  });
  return {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'DaemonJob',
    metadata: { name },
    spec: { ...spec, template },
  };
}
