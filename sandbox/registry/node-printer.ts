/** Rows of Nodes (printNode). */
import type { KubeObject } from '#shared/domain/objects.ts';
import { columns, createdAgo, none, type Printer } from './printer.ts';

interface NodeView {
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly conditions?: readonly { type: string; status: string }[];
    readonly addresses?: readonly { type: string; address: string }[];
    readonly nodeInfo?: Readonly<Record<string, string>>;
  };
}

const rolePrefix = 'node-role.kubernetes.io/';
const roleLabel = 'kubernetes.io/role';

export const nodePrinter: Printer = {
  columns: columns(
    'Name',
    'Status',
    'Roles',
    'Age',
    'Version',
    '=Internal-IP',
    '=External-IP',
    '=OS-Image',
    '=Kernel-Version',
    '=Container-Runtime',
  ),
  row: (object, nowMs) => {
    const { status = {} } = object as unknown as NodeView;
    const { nodeInfo = {}, addresses = [] } = status;
    const address = (wanted: string): string =>
      addresses.find(({ type }) => type === wanted)?.address ?? none;
    const known = (name: string): string =>
      (nodeInfo[name] ?? '') === '' ? '<unknown>' : (nodeInfo[name] ?? '');
    return [
      object.metadata.name,
      statusText(object as unknown as NodeView),
      rolesOf(object),
      createdAgo(object, nowMs),
      nodeInfo['kubeletVersion'] ?? '',
      address('InternalIP'),
      address('ExternalIP'),
      known('osImage'),
      known('kernelVersion'),
      known('containerRuntimeVersion'),
    ];
  },
};

function statusText({ spec = {}, status = {} }: NodeView): string {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const words = [ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'];
  if (spec.unschedulable === true) words.push('SchedulingDisabled');
  return words.join(',');
}

function rolesOf({ metadata }: KubeObject): string {
  const roles = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length);
    return key === roleLabel && value !== '' ? value : [];
  });
  return roles.length === 0 ? none : [...new Set(roles)].sort().join(',');
}
