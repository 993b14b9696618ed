/** Values of ConfigMaps and Secrets for containers, resolved as the kubelet does (pkg/kubelet/kubelet_pods.go). */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ControllerApi } from '../controller.ts';
import { kindOf } from '../kinds.ts';
import type { Container, EnvVar, KeyReference, Pod } from '../objects/pod.ts';
import { environmentOf } from '../pod/environment.ts';

/** A container cannot start before its configuration exists. The message is shown in the Pod's status. */
export class ConfigurationMissing extends Error {
  override readonly name = 'ConfigurationMissing';
}

type Source = 'configMaps' | 'secrets';

interface ConfigObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

const words = { configMaps: 'ConfigMap', secrets: 'Secret' } as const;

/** Decoded values by key. Undefined: the object does not exist. */
export function configData(
  api: ControllerApi,
  source: Source,
  namespace: string,
  name: string,
): ReadonlyMap<string, Buffer> | undefined {
  const object: ConfigObject | undefined = api.store.get(kindOf(api, source), namespace, name);
  if (object === undefined) return undefined;
  const encoding = source === 'secrets' ? 'base64' : 'utf8';
  const decoded = (values: Readonly<Record<string, string>> = {}, how: BufferEncoding) =>
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value, how)] as const);
  return new Map([...decoded(object.data, encoding), ...decoded(object.binaryData, 'base64')]);
}

/** envFrom and env over `before`. Throws ConfigurationMissing. */
export function containerEnvironment(
  api: ControllerApi,
  pod: Pod,
  container: Container,
  before: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const environment = new Map(before);
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const reference = configMapRef ?? secretRef;
    if (reference === undefined) continue;
    const source = configMapRef === undefined ? 'secrets' : 'configMaps';
    for (const [key, value] of wholeObject(api, pod, source, reference)) {
      environment.set(prefix + key, value.toString());
    }
  }
  return environmentOf(pod, container, environment, (variable) => valueOf(api, pod, variable));
}

/** Throws ConfigurationMissing when something that env or envFrom refers to does not exist. */
export function checkConfiguration(api: ControllerApi, pod: Pod, container: Container): void {
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    if (configMapRef !== undefined) wholeObject(api, pod, 'configMaps', configMapRef);
    if (secretRef !== undefined) wholeObject(api, pod, 'secrets', secretRef);
  }
  for (const { valueFrom } of container.env ?? []) {
    const { configMapKeyRef, secretKeyRef } = valueFrom ?? {};
    if (configMapKeyRef !== undefined) keyOf(api, pod, 'configMaps', configMapKeyRef);
    if (secretKeyRef !== undefined) keyOf(api, pod, 'secrets', secretKeyRef);
  }
}

function wholeObject(
  api: ControllerApi,
  { metadata: { namespace = '' } }: Pod,
  source: Source,
  { name, optional }: { readonly name: string; readonly optional?: boolean },
): ReadonlyMap<string, Buffer> {
  const data = configData(api, source, namespace, name);
  if (data === undefined && optional !== true) {
    throw new ConfigurationMissing(`${words[source].toLowerCase()} "${name}" not found`);
  }
  return data ?? new Map();
}

function valueOf(api: ControllerApi, pod: Pod, { name, valueFrom }: EnvVar): string | undefined {
  if (valueFrom?.configMapKeyRef !== undefined) {
    return keyOf(api, pod, 'configMaps', valueFrom.configMapKeyRef);
  }
  if (valueFrom?.secretKeyRef !== undefined) {
    return keyOf(api, pod, 'secrets', valueFrom.secretKeyRef);
  }
  throw new ConfigurationMissing(`the sandbox does not know where the value of ${name} is from`);
}

function keyOf(
  api: ControllerApi,
  pod: Pod,
  source: Source,
  reference: KeyReference,
): string | undefined {
  const { key, name, optional } = reference;
  const value = wholeObject(api, pod, source, reference).get(key);
  if (value !== undefined || optional === true) return value?.toString();
  const where = `${words[source]} ${pod.metadata.namespace ?? ''}/${name}`;
  throw new ConfigurationMissing(`couldn't find key ${key} in ${where}`);
}
