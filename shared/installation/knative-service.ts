import type { JsonObject } from '#shared/domain/objects.ts';
import { type Addresses, containerOf, volumesOf } from './container.ts';
import type { DeclaredProcess } from './declared-process.ts';
import { labelsOf, manifest } from './names.ts';
import type { InstallationSettings } from './settings.ts';

/** As many as a function takes before it answers 503 (MILLRACE_MAX_IN_FLIGHT). */
const containerConcurrency = 64;

/** Requests under way for each Pod that the autoscaler aims at: what the dispatcher sends at once. */
const targetConcurrency = 16;

/**
 * Longer than any delivery (MILLRACE_DELIVERY_SECONDS); also how long a Pod may take to end, of which the
 * queue proxy uses 30 s before the process hears of it.
 */
const timeoutSeconds = 60;

/**
 * Scaled by the deliveries under way, and to nothing without any. The dispatcher pulls and pushes: a
 * function that pulled would be seen idle and be taken away.
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
    // Nobody but the API server calls an admission, past the autoscaler: it never scales to nothing.
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
