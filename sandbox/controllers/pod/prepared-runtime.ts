/**
 * The kubelet's preparations for a container: it mounts volumes, parses the image name, and resolves the configuration
 * (pkg/kubelet/kubelet_pods.go, pkg/kubelet/images). With every runtime, a Pod whose preparation fails waits with the
 * reason that a cluster gives.
 */
import type { ControllerApi } from '../controller.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import type { Pod, Volume } from '../objects/pod.ts';
import { checkConfiguration, configData, ConfigurationMissing } from '../process/config-values.ts';
import type { ContainerRun, ContainerRuntime, StartFailure } from './container-runtime.ts';

/** Wraps `runtime`, so that it starts only what a kubelet would start. */
export function preparedRuntime(
  runtime: ContainerRuntime,
  api: ControllerApi,
  record: RecordEvent,
): ContainerRuntime {
  return {
    start: (run, nowMs) =>
      unmounted(api, run, record) ??
      unnamedImage(run) ??
      unconfigured(api, run) ??
      runtime.start(run, nowMs),
    look: (run, startedMs, nowMs) => runtime.look(run, startedMs, nowMs),
    stop: (run, graceMs, nowMs) => runtime.stop(run, graceMs, nowMs),
    logs: (run, startedMs, nowMs) => runtime.logs(run, startedMs, nowMs),
    forget: (podUid) => runtime.forget(podUid),
    onEnd: (listener) => runtime.onEnd(listener),
  };
}

/** The Event names the volume and the status does not, as on a cluster. */
function unmounted(
  api: ControllerApi,
  { pod }: ContainerRun,
  record: RecordEvent,
): StartFailure | undefined {
  for (const volume of pod.spec.volumes ?? []) {
    const missing = missingSource(api, pod, volume);
    if (missing === undefined) continue;
    const message = `MountVolume.SetUp failed for volume "${volume.name}" : ${missing} not found`;
    record(pod, { type: 'Warning', reason: 'FailedMount', message });
    const hasInit = (pod.spec.initContainers ?? []).length > 0;
    return { reason: hasInit ? 'PodInitializing' : 'ContainerCreating' };
  }
  return undefined;
}

interface Sources {
  readonly configMap?: { readonly name?: string; readonly optional?: boolean };
  readonly secret?: { readonly secretName?: string; readonly optional?: boolean };
}

function missingSource(
  api: ControllerApi,
  { metadata: { namespace = '' } }: Pod,
  volume: Volume,
): string | undefined {
  const { configMap, secret } = volume as Sources;
  const isThere = (source: 'configMaps' | 'secrets', name: string) =>
    configData(api, source, namespace, name) !== undefined;
  const { name = '' } = configMap ?? {};
  if (configMap !== undefined && configMap.optional !== true && !isThere('configMaps', name)) {
    return `configmap "${name}"`;
  }
  const { secretName = '' } = secret ?? {};
  if (secret !== undefined && secret.optional !== true && !isThere('secrets', secretName)) {
    return `secret "${secretName}"`;
  }
  return undefined;
}

// Name, then tag and digest (github.com/distribution/reference, grammar of `reference`).
const part = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const host = '(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]+)?/)?';
const imageName = new RegExp(
  `^${host}${part}(?:/${part})*(?::[\\w][\\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*:[0-9a-fA-F]{32,})?$`,
);
/** Longer names are refused as well, so that no pattern has to match them. */
const maxImageLength = 512;

function unnamedImage({ container }: ContainerRun): StartFailure | undefined {
  const { image = '' } = container;
  if (image.length <= maxImageLength && imageName.test(image)) return undefined;
  const why = `couldn't parse image name "${image}": invalid reference format`;
  const message = `Failed to apply default image tag "${image}": ${why}`;
  return { reason: 'InvalidImageName', message };
}

function unconfigured(
  api: ControllerApi,
  { pod, container }: ContainerRun,
): StartFailure | undefined {
  try {
    checkConfiguration(api, pod, container);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigurationMissing)) throw error;
    return { reason: 'CreateContainerConfigError', message: error.message };
  }
}
