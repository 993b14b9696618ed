/** Service. It has an address, but no endpoints: the sandbox has no network. */
import { notSupported, required } from '../../apimachinery/cause.ts';
import type { Draft } from '../draft.ts';
import { serviceLabelFault } from '../../apimachinery/names.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import { ownStatus, type Strategy } from '../strategy.ts';
import { withFieldOf } from '../draft.ts';
import type { World } from '../world.ts';
import { portNumberFaults } from './container-rules.ts';

interface Port {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly targetPort?: number | string;
}

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const protocols = ['SCTP', 'TCP', 'UDP'];

interface ServiceSpec {
  readonly type?: string;
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly ports?: readonly Port[];
  readonly [field: string]: unknown;
}

export const service: Strategy = {
  ...ownStatus,
  createsOnUpdate: true,
  nameRule: serviceLabelFault,
  answersDeleted: true,
  defaults: withDefaults,
  prepareCreate: (object, world) => ({
    ...withAddress(object, world),
    status: { loadBalancer: {} },
  }),
  prepareUpdate: (object, old) => withFieldOf(withAddressOf(object, old), 'status', old),
  faults,
};

function withDefaults(object: Draft): Draft {
  const spec = (object.spec ?? {}) as ServiceSpec;
  const ports = spec.ports?.map((port) => ({ protocol: 'TCP', targetPort: port.port, ...port }));
  return {
    ...object,
    spec: {
      sessionAffinity: 'None',
      type: 'ClusterIP',
      ...(spec.type === 'ExternalName' ? {} : { internalTrafficPolicy: 'Cluster' }),
      ...spec,
      ...(ports === undefined ? {} : { ports }),
    },
  };
}

function withAddress(object: Draft, { random }: World): Draft {
  const spec = object.spec as ServiceSpec;
  if (spec.type === 'ExternalName') return object;
  const clusterIP =
    spec.clusterIP ?? `10.0.${Math.floor(random() * 256)}.${1 + Math.floor(random() * 254)}`;
  const families = { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
  return { ...object, spec: { ...families, ...spec, clusterIP, clusterIPs: [clusterIP] } };
}

function withAddressOf(object: Draft, old: Draft): Draft {
  const spec = object.spec as ServiceSpec;
  const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy } = old.spec as ServiceSpec;
  if (spec.clusterIP !== undefined || clusterIP === undefined) return object;
  return { ...object, spec: { ipFamilies, ipFamilyPolicy, ...spec, clusterIP, clusterIPs } };
}

function faults({ spec }: Draft): readonly StatusCause[] {
  const { ports = [], type = '', clusterIP } = spec as ServiceSpec;
  const needsPorts = type !== 'ExternalName' && clusterIP !== 'None';
  return [
    ...(needsPorts && ports.length === 0 ? [required('spec.ports')] : []),
    ...ports.flatMap((port, place) => portFaults(port, ports.length > 1, `spec.ports[${place}]`)),
    ...(types.includes(type) ? [] : [notSupported('spec.type', type, types)]),
  ];
}

function portFaults(
  { name = '', port, targetPort, protocol = 'TCP' }: Port,
  needsName: boolean,
  path: string,
): readonly StatusCause[] {
  return [
    ...(needsName && name === '' ? [required(`${path}.name`)] : []),
    ...portNumberFaults(port, `${path}.port`),
    ...(protocols.includes(protocol)
      ? []
      : [notSupported(`${path}.protocol`, protocol, protocols)]),
    ...(typeof targetPort === 'number' ? portNumberFaults(targetPort, `${path}.targetPort`) : []),
  ];
}
