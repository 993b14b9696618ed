/** Builders of AppWrappers with defaults; a test states only what matters. */
import type { AppWrapperStatus } from '#shared/api/app-wrapper.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { Manifest } from '../flows/cluster-api.ts';
import { work, type Work } from '../flows/flow-manifest.ts';

/** Annotations by their names without the prefix. */
export type Settings = Readonly<Record<string, string>>;

export function appWrapper(
  name: string,
  templates: readonly object[],
  { settings = {}, ...spec }: { readonly settings?: Settings; readonly suspend?: boolean } = {},
): Manifest {
  const annotations = Object.fromEntries(
    Object.entries(settings).map(([key, text]) => [
      `workload.codeflare.dev.appwrapper/${key}`,
      text,
    ]),
  );
  return {
    apiVersion: 'workload.codeflare.dev/v1beta2',
    kind: 'AppWrapper',
    metadata: { name, annotations },
    spec: { ...spec, components: templates.map((template) => ({ template })) },
  };
}

export function wrappedPod(name: string, options: Work = {}): object {
  const { template } = work(options);
  const spec = { restartPolicy: 'Never', ...template.spec };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...template.metadata }, spec };
}

export function wrappedJob(name: string, options: Work = {}): object {
  const spec = work({ pod: { restartPolicy: 'Never' }, job: { backoffLimit: 0 }, ...options });
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec };
}

export function wrappedService(name: string): object {
  const spec = { selector: { app: name }, ports: [{ port: 80 }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec };
}

export function statusOf(wrapper: KubeObject | undefined): AppWrapperStatus {
  return (wrapper?.status as AppWrapperStatus | undefined) ?? {};
}
