/** What is applied on the real node: its containers run in a shell of busybox. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { busyboxImage } from './cluster/images.ts';

export function jobSpec(script: string, pod: JsonObject = {}): JsonObject {
  const containers = [{ name: 'main', image: busyboxImage, command: ['sh', '-c', script] }];
  return { template: { spec: { restartPolicy: 'Never', containers, ...pod } } };
}

interface Step {
  readonly name: string;
  readonly run: string;
  readonly dependencies?: readonly string[];
}

/** Each step is a shell script. */
export function flowOf(name: string, steps: readonly Step[], more: JsonObject = {}): string {
  const flows = steps.map(({ run, dependencies = [], ...step }) => ({
    ...step,
    ...(dependencies.length > 0 ? { dependencies } : {}),
    jobTemplate: jobSpec(run),
  }));
  return manifest('api.practice.com/v1alpha1', 'JobFlow', name, { spec: { ...more, flows } });
}

/** In the namespace `default`. */
export function manifest(
  apiVersion: string,
  kind: string,
  name: string,
  { labels = {}, ...rest }: JsonObject,
): string {
  const metadata = { name, namespace: 'default', labels };
  return JSON.stringify({ apiVersion, kind, metadata, ...rest });
}
