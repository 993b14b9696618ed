/** What a Pod's spec must be (pkg/apis/core/validation ValidatePodSpec), as far as it is simulated. */
import type { Json } from '#shared/domain/objects.ts';
import { duplicate, invalid, notSupported, required } from '../../schema/cause.ts';
import { labelFault } from '../names.ts';
import type { StatusCause } from '../status-error.ts';
import type { Container, PodSpec } from './pod-template-defaults.ts';

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

export function podSpecFaults(spec: PodSpec, path: string): readonly StatusCause[] {
  const { containers = [], initContainers = [], restartPolicy, volumes = [] } = spec;
  const faults: StatusCause[] = [];
  const volumeNames = new Set<string>();
  for (const [place, { name = '' }] of volumes.entries()) {
    const at = `${path}.volumes[${place}].name`;
    const found = name === '' ? required(at) : named(at, name);
    if (found !== undefined) faults.push(found);
    else if (volumeNames.has(name)) faults.push(duplicate(at, name));
    volumeNames.add(name);
  }
  if (containers.length === 0) faults.push(required(`${path}.containers`));
  const names = new Set<string>();
  for (const [field, list] of Object.entries({ containers, initContainers })) {
    for (const [place, container] of list.entries()) {
      faults.push(...containerFaults(container, `${path}.${field}[${place}]`, volumeNames, names));
    }
  }
  if (restartPolicy !== undefined && !restartPolicies.includes(restartPolicy)) {
    faults.push(notSupported(`${path}.restartPolicy`, restartPolicy, restartPolicies));
  }
  const dnsPolicy = spec['dnsPolicy'] as string | undefined;
  if (dnsPolicy !== undefined && !dnsPolicies.includes(dnsPolicy)) {
    faults.push(notSupported(`${path}.dnsPolicy`, dnsPolicy, dnsPolicies));
  }
  const deadline = spec['activeDeadlineSeconds'] as number | undefined;
  if (deadline !== undefined && deadline < 1) {
    const detail = 'must be between 1 and 2147483647, inclusive';
    faults.push(invalid(`${path}.activeDeadlineSeconds`, deadline, detail));
  }
  return faults;
}

function named(path: string, name: string): StatusCause | undefined {
  const found = labelFault(name);
  return found === undefined ? undefined : invalid(path, name, found);
}

function containerFaults(
  container: Container,
  path: string,
  volumes: ReadonlySet<string>,
  names: Set<string>,
): readonly StatusCause[] {
  const { name = '', image = '', imagePullPolicy, volumeMounts = [] } = container;
  const faults: StatusCause[] = [];
  const nameFault = name === '' ? required(`${path}.name`) : named(`${path}.name`, name);
  if (nameFault !== undefined) faults.push(nameFault);
  if (image === '') faults.push(required(`${path}.image`));
  else if (image !== image.trim()) {
    faults.push(invalid(`${path}.image`, image, 'must not have leading or trailing whitespace'));
  }
  if (imagePullPolicy !== undefined && !pullPolicies.includes(imagePullPolicy)) {
    faults.push(notSupported(`${path}.imagePullPolicy`, imagePullPolicy, pullPolicies));
  }
  for (const [place, { name: volume = '', mountPath = '' }] of volumeMounts.entries()) {
    const at = `${path}.volumeMounts[${place}]`;
    if (volume === '') faults.push(required(`${at}.name`));
    else if (!volumes.has(volume)) faults.push(absent(`${at}.name`, volume));
    if (mountPath === '') faults.push(required(`${at}.mountPath`));
  }
  if (name !== '' && names.has(name)) faults.push(duplicate(`${path}.name`, name));
  names.add(name);
  return faults;
}

function absent(field: string, value: Json): StatusCause {
  return { reason: 'FieldValueNotFound', message: `Not found: ${JSON.stringify(value)}`, field };
}
