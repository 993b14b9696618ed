/** Manifests for the real node: shells of busybox that may run in every namespace. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { restricted } from '#shared/installation/container.ts';
import { busyboxImage } from './cluster/images.ts';

export function jobSpec(
  script: string,
  pod: JsonObject = {},
  container: JsonObject = {},
): JsonObject {
  // Its steps write files; restricted Pod Security minds nothing of that.
  const securityContext = { ...restricted, readOnlyRootFilesystem: false };
  const command = ['sh', '-c', script];
  const containers = [
    { name: 'main', image: busyboxImage, command, securityContext, ...container },
  ];
  return { template: { spec: { restartPolicy: 'Never', containers, ...pod } } };
}

interface Step {
  readonly name: string;
  readonly run: string;
  readonly dependencies?: readonly string[];
}

/** Each step is a shell script. */
export function flowOf(
  name: string,
  steps: readonly Step[],
  more: JsonObject = {},
  namespace = 'default',
): string {
  const flows = steps.map(({ run, dependencies = [], ...step }) => ({
    ...step,
    ...(dependencies.length > 0 ? { dependencies } : {}),
    jobTemplate: jobSpec(run),
  }));
  return manifest('api.practice.com/v1alpha1', 'JobFlow', name, {
    namespace,
    spec: { ...more, flows },
  });
}

/** In the namespace `default` unless another one is named. */
export function manifest(
  apiVersion: string,
  kind: string,
  name: string,
  { labels = {}, namespace = 'default', ...rest }: JsonObject,
): string {
  const metadata = { name, namespace, labels };
  return JSON.stringify({ apiVersion, kind, metadata, ...rest });
}
