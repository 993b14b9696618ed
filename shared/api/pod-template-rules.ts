/** Rules on the template of a Job, both for a step's own and for a JobTemplate. */
import { isObject } from '#shared/domain/json-value.ts';
import { isReservedKey, prefix } from '#shared/domain/labels.ts';
import { found, memberPath, type Fault } from './fault.ts';
import type { JobSpec } from './pod-template.ts';

/** The CRD has the same rule: no key with Millrace's prefix in a Pod template. */
export function podTemplateFaults(
  { template }: Pick<JobSpec, 'template'>,
  path: string,
): readonly Fault[] {
  const { labels, annotations } = template.metadata ?? {};
  const at = `${path}.template.metadata`;
  return [
    ...Object.keys(labels ?? {}).flatMap((key) => reservedKeyFault(key, `${at}.labels`)),
    ...Object.keys(annotations ?? {}).flatMap((key) => reservedKeyFault(key, `${at}.annotations`)),
  ];
}

/** Parts that the CRD does not look into. The API server checks them when the Job is created. */
export function podSpecFaults(
  { template }: Pick<JobSpec, 'template'>,
  path: string,
): readonly Fault[] {
  const at = `${path}.template.spec`;
  const spec: unknown = template.spec;
  if (!isObject(spec)) return [{ path: at, message: `must be object, found ${found(spec)}` }];
  const containers = spec['containers'];
  if (!Array.isArray(containers) || containers.length === 0) {
    const message = `must be a list of at least one container, found ${found(containers)}`;
    return [{ path: `${at}.containers`, message }];
  }
  return containers.flatMap((container: unknown, index) => {
    if (isObject(container) && typeof container['name'] === 'string') return [];
    return [{ path: `${memberPath(`${at}.containers`, index)}.name`, message: 'required' }];
  });
}

export function reservedKeyFault(key: string, path: string): readonly Fault[] {
  if (!isReservedKey(key)) return [];
  return [{ path, message: `keys that start with ${prefix} are reserved, found ${key}` }];
}
