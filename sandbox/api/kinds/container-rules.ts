/** Rules for a container (pkg/apis/core/validation ValidateContainer), as far as they are simulated. */
import type { Json } from '#shared/domain/objects.ts';
import { duplicate, invalid, notSupported, required } from '../../apimachinery/cause.ts';
import { labelFault } from '../../apimachinery/names.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import type { Container, EnvVar, Port } from './pod-template-defaults.ts';
import { resourceFaults } from './resource-rules.ts';

const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const protocols = ['SCTP', 'TCP', 'UDP'];

/** `names`: the names of earlier containers. The name of this one is added. */
export function containerFaults(
  container: Container,
  path: string,
  volumes: ReadonlySet<string>,
  names: Set<string>,
): readonly StatusCause[] {
  const { name = '', image = '', imagePullPolicy, volumeMounts = [] } = container;
  const { ports = [], env = [], resources = {} } = container;
  const faults: StatusCause[] = [];
  const nameFault = name === '' ? required(`${path}.name`) : namedFault(`${path}.name`, name);
  if (nameFault !== undefined) faults.push(nameFault);
  if (image === '') faults.push(required(`${path}.image`));
  else if (image !== image.trim()) {
    faults.push(invalid(`${path}.image`, image, 'must not have leading or trailing whitespace'));
  }
  if (imagePullPolicy !== undefined && !pullPolicies.includes(imagePullPolicy)) {
    faults.push(notSupported(`${path}.imagePullPolicy`, imagePullPolicy, pullPolicies));
  }
  faults.push(...portFaults(ports, `${path}.ports`));
  faults.push(...env.flatMap((variable, place) => envFaults(variable, `${path}.env[${place}]`)));
  for (const [place, mount] of volumeMounts.entries()) {
    const { name: volume = '', mountPath = '' } = mount;
    const at = `${path}.volumeMounts[${place}]`;
    if (volume === '') faults.push(required(`${at}.name`));
    else if (!volumes.has(volume)) faults.push(absent(`${at}.name`, volume));
    if (mountPath === '') faults.push(required(`${at}.mountPath`));
    // The API server does not say which mount it means.
    faults.push(...subPathFaults(mount.subPath ?? '', `${path}.volumeMounts.subPath`));
  }
  faults.push(...resourceFaults(resources, `${path}.resources`));
  if (name !== '' && names.has(name)) faults.push(duplicate(`${path}.name`, name));
  names.add(name);
  return faults;
}

/** ValidateLocalDescendingPath: the path must stay within the volume. */
function subPathFaults(subPath: string, path: string): readonly StatusCause[] {
  const faults: StatusCause[] = [];
  if (subPath.startsWith('/')) faults.push(invalid(path, subPath, 'must be a relative path'));
  if (subPath.split('/').includes('..')) {
    faults.push(invalid(path, subPath, "must not contain '..'"));
  }
  return faults;
}

function portFaults(ports: readonly Port[], path: string): readonly StatusCause[] {
  const names = new Set<string>();
  return ports.flatMap(({ name = '', containerPort = 0, protocol = 'TCP' }, place) => {
    const at = `${path}[${place}]`;
    const faults: StatusCause[] = [];
    if (names.has(name)) faults.push(duplicate(`${at}.name`, name));
    if (name !== '') names.add(name);
    if (containerPort === 0) faults.push(required(`${at}.containerPort`));
    else faults.push(...portNumberFaults(containerPort, `${at}.containerPort`));
    if (!protocols.includes(protocol)) {
      faults.push(notSupported(`${at}.protocol`, protocol, protocols));
    }
    return faults;
  });
}

export function portNumberFaults(port: number, path: string): readonly StatusCause[] {
  if (port >= 1 && port <= 65_535) return [];
  return [invalid(path, port, 'must be between 1 and 65535, inclusive')];
}

const printableButEquals = /^[ -<>-~]+$/;

function envFaults({ name = '', value, valueFrom }: EnvVar, path: string): readonly StatusCause[] {
  const faults: StatusCause[] = [];
  if (name === '') faults.push(required(`${path}.name`));
  else if (!printableButEquals.test(name)) {
    const detail =
      "a valid environment variable name must consist only of printable ASCII characters other than '='";
    faults.push(invalid(`${path}.name`, name, detail));
  }
  if (valueFrom === undefined) return faults;
  const sources = Object.keys(valueFrom).length;
  if (sources === 0) {
    const detail =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    faults.push(invalid(`${path}.valueFrom`, '', detail));
  } else if ((value ?? '') !== '') {
    faults.push(invalid(`${path}.valueFrom`, '', 'may not be specified when `value` is not empty'));
  } else if (sources > 1) {
    const detail = 'may not have more than one field specified at a time';
    faults.push(invalid(`${path}.valueFrom`, '', detail));
  }
  return faults;
}

export function namedFault(path: string, name: string): StatusCause | undefined {
  const found = labelFault(name);
  return found === undefined ? undefined : invalid(path, name, found);
}

function absent(field: string, value: Json): StatusCause {
  return { reason: 'FieldValueNotFound', message: `Not found: ${JSON.stringify(value)}`, field };
}
