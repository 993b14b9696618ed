/** The built-in kinds that controllers work with, looked up once. */
import type { ResourceType } from '../registry/resource-type.ts';
import type { ControllerApi } from './controller.ts';

const paths = {
  jobs: ['batch', 'v1', 'jobs'],
  pods: ['', 'v1', 'pods'],
  nodes: ['', 'v1', 'nodes'],
  events: ['', 'v1', 'events'],
  namespaces: ['', 'v1', 'namespaces'],
  configMaps: ['', 'v1', 'configmaps'],
  secrets: ['', 'v1', 'secrets'],
  claims: ['', 'v1', 'persistentvolumeclaims'],
  serviceAccounts: ['', 'v1', 'serviceaccounts'],
} as const;

export type KindName = keyof typeof paths;

/** Throws when the sandbox does not serve the kind, which is a bug of the composition. */
export function kindOf({ types }: Pick<ControllerApi, 'types'>, name: KindName): ResourceType {
  const [group, version, plural] = paths[name];
  const type = types.byPath(group, version, plural);
  if (type === undefined) throw new Error(`the sandbox serves no ${plural}`);
  return type;
}

/** Whether an event or object is of the kind, in any version. */
export function isKind({ group, plural }: ResourceType, name: KindName): boolean {
  return paths[name][0] === group && paths[name][2] === plural;
}
