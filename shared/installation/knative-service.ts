import type { JsonObject } from '#shared/domain/objects.ts';
import { type Addresses, containerOf, volumesOf } from './container.ts';
import type { DeclaredProcess } from './declared-process.ts';
import { labelsOf, manifest } from './names.ts';
import type { InstallationSettings } from './settings.ts';

/** The function's own limit, above which it answers 503 (MILLRACE_MAX_IN_FLIGHT). */
const containerConcurrency = 64;

/** The autoscaler's target of concurrent requests per Pod: what the dispatcher sends at once. */
const targetConcurrency = 16;

/**
 * Longer than any delivery (MILLRACE_DELIVERY_SECONDS). It also limits the end of a Pod; the queue proxy
 * uses 30 s of that before the process is notified.
 */
const timeoutSeconds = 60;

/**
 * Scaled by running deliveries, down to zero. The dispatcher therefore pushes: a function that pulled its
 * work would look idle and be removed.
 */
export function knativeServiceOf(
  process: DeclaredProcess,
  settings: InstallationSettings,
  addresses: Addresses,
): JsonObject {
  const { name, part } = process;
  const { minScale, maxScale } = settings.scaleOf(name);
  const volumes = volumesOf(process, settings);
  const labels = labelsOf(process);
  const scale = {
    // Only the API server calls an admission, bypassing the autoscaler, so it never scales to zero.
    'autoscaling.knative.dev/min-scale': part === 'admission' ? minScale : '0',
    'autoscaling.knative.dev/max-scale': maxScale,
    'autoscaling.knative.dev/metric': 'concurrency',
    'autoscaling.knative.dev/target': String(targetConcurrency),
  };
  return manifest(
    'serving.knative.dev/v1',
    'Service',
    {
      name,
      namespace: settings.namespace,
      labels: { ...labels, 'networking.knative.dev/visibility': 'cluster-local' },
    },
    {
      spec: {
        template: {
          metadata: { labels, annotations: scale },
          spec: {
            serviceAccountName: name,
            enableServiceLinks: false,
            containerConcurrency,
            timeoutSeconds,
            containers: [containerOf(process, settings, addresses, 'knative')],
            ...(volumes.length === 0 ? {} : { volumes: [...volumes] }),
          },
        },
      },
    },
  );
}
