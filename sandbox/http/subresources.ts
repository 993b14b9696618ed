/** The subresources of a type in discovery, and known ones that the sandbox refuses. */
import type { ResourceType } from '../registry/resource-type.ts';
import { StatusError } from '../apimachinery/status-error.ts';

export interface Subresource {
  readonly name: string;
  readonly kind: string;
  /** Group, version and kind of the subresource. Absent: those of the type itself. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

const writable = ['get', 'patch', 'update'];

/** Sorted by name. */
export function subresourcesOf(type: ResourceType): readonly Subresource[] {
  const listed = type.subresources.map((name) => subresource(type, name));
  const isNamespace = type.group === '' && type.plural === 'namespaces';
  const finalize = isNamespace ? [{ name: 'finalize', kind: type.kind, verbs: ['update'] }] : [];
  return [...listed, ...finalize].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function subresource(type: ResourceType, name: ResourceType['subresources'][number]): Subresource {
  switch (name) {
    case 'status':
      return { name, kind: type.kind, verbs: writable };
    case 'scale':
      return { name, group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: writable };
    case 'log':
      return { name, kind: type.kind, verbs: ['get'] };
    case 'binding':
      return { name, kind: 'Binding', verbs: ['create'] };
    case 'eviction':
      return { name, group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] };
  }
}

const refused: Readonly<Record<string, string>> = {
  exec: 'running commands in containers',
  attach: 'attaching to containers',
  portforward: 'forwarding ports',
  proxy: 'proxying to pods, services or nodes',
  ephemeralcontainers: 'ephemeral containers',
  resize: 'resizing pods in place',
  token: 'tokens of service accounts',
};

/**
 * The refusal of a subresource that a real server has and the sandbox lacks. Undefined for other
 * names.
 */
export function refusalOf(name: string): StatusError | undefined {
  const what = refused[name.split('/')[0] ?? ''];
  if (what === undefined) return undefined;
  return new StatusError(501, 'NotImplemented', `the sandbox does not simulate ${what}`);
}
