/** Objects as an API server shows them, with defaults. A test states only what matters. */
import {
  asResourceVersion,
  asUid,
  type KubeObject,
  type ObjectMeta,
} from '#shared/domain/objects.ts';
import { labels } from '../labels.ts';

export interface ObjectFields {
  readonly name?: string;
  readonly uid?: string;
  readonly version?: string;
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: object;
  readonly status?: object;
}

const objectOf =
  (apiVersion: string, kind: string, defaults: Partial<ObjectMeta> = {}) =>
  (fields: ObjectFields = {}): KubeObject => {
    const { name = 'a', version = '5', metadata, spec, status } = fields;
    return {
      apiVersion,
      kind,
      metadata: {
        namespace: 'default',
        name,
        uid: asUid(fields.uid ?? `uid-of-${name}`),
        resourceVersion: asResourceVersion(version),
        generation: 1,
        ...defaults,
        ...metadata,
      },
      ...(spec === undefined ? {} : { spec }),
      ...(status === undefined ? {} : { status }),
    };
  };

export const flow = objectOf('api.practice.com/v1alpha1', 'JobFlow');
export const daemonJob = objectOf('api.practice.com/v1alpha1', 'DaemonJob');
export const node = objectOf('v1', 'Node', { namespace: '' });
export const template = objectOf('api.practice.com/v1alpha1', 'JobTemplate');
/** Carries the label that children are watched by. */
const child = { labels: { [labels.ownerUid]: 'uid-of-a' } };

export const job = objectOf('batch/v1', 'Job', child);
export const pod = objectOf('v1', 'Pod', child);

/** The owner references of a child of that flow. */
export function ownedBy(owner: KubeObject): Pick<ObjectMeta, 'ownerReferences'> {
  const { apiVersion, kind, metadata } = owner;
  const { name, uid } = metadata;
  return { ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] };
}
