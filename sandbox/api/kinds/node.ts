/** Node (pkg/registry/core/node/strategy.go, admission plugin TaintNodesByCondition). */
import type { Draft } from '../draft.ts';
import { ownStatus, type Strategy } from '../strategy.ts';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

const unknownSystem = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '',
  osImage: '',
  containerRuntimeVersion: '',
  kubeletVersion: '',
  kubeProxyVersion: '',
  operatingSystem: '',
  architecture: '',
};

interface NodeStatus {
  readonly capacity?: object;
  readonly allocatable?: object;
  readonly daemonEndpoints?: object;
  readonly nodeInfo?: object;
}

export const node: Strategy = {
  ...ownStatus,
  admit: withNotReadyTaint,
  defaults: withStatusDefaults,
};

function withNotReadyTaint(object: Draft): Draft {
  const spec = (object.spec ?? {}) as { taints?: readonly { key: string; effect: string }[] };
  const { taints = [] } = spec;
  const isTainted = taints.some(
    ({ key, effect }) => key === notReady.key && effect === notReady.effect,
  );
  return isTainted ? object : { ...object, spec: { ...spec, taints: [...taints, notReady] } };
}

function withStatusDefaults(object: Draft): Draft {
  const status = (object.status ?? {}) as NodeStatus;
  const { capacity, allocatable, daemonEndpoints, nodeInfo } = status;
  const isWhole =
    daemonEndpoints !== undefined && nodeInfo !== undefined && Object.keys(nodeInfo).length >= 10;
  if (isWhole && (capacity === undefined || allocatable !== undefined)) {
    return object.spec === undefined ? { ...object, spec: {} } : object;
  }
  return {
    ...object,
    spec: object.spec ?? {},
    status: {
      ...status,
      ...(capacity === undefined ? {} : { allocatable: allocatable ?? capacity }),
      daemonEndpoints: daemonEndpoints ?? { kubeletEndpoint: { Port: 0 } },
      nodeInfo: { ...unknownSystem, ...nodeInfo },
    },
  };
}
