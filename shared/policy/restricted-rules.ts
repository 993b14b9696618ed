/**
 * The profile restricted requires more than baseline: a hardened Pod. Most of these fields are required, so an
 * absent one is refused too.
 */
import { isObject } from '#shared/domain/json-value.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { lists, memberOf, textOf } from './json-members.ts';
import {
  hasUserNamespace,
  isWindows,
  ofContainers,
  ofSecurityContexts,
  podAt,
  podOf,
  texts,
  unset,
  use,
  type PodRule,
  type Use,
} from './pod-rule.ts';

const since = 'restricted';

const volumeSources = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
/** They have rules of their own in baseline. */
const judgedBefore = ['hostPath', 'gitRepo'];

export const restrictedRules = [
  {
    name: 'volumeTypes',
    since,
    says: `A volume is not one of ${volumeSources.join(', ')}.`,
    values: 'the source, such as nfs',
    uses: (job) =>
      lists(podOf(job), 'volumes').flatMap(([volume, index]) =>
        Object.keys(volume)
          .filter((source) => isObject(ownMember(volume, source)))
          .filter((source) => ![...volumeSources, ...judgedBefore].includes(source))
          .map((source) => {
            const message = `${source} is not among the sources ${volumeSources.join(', ')}; use a persistentVolumeClaim`;
            return use(`${podAt}.volumes[${index}].${source}`, source, message);
          }),
      ),
  },
  {
    name: 'allowPrivilegeEscalation',
    since,
    says: 'A container does not rule out that a process gets more rights than the one that started it. Pods of Windows may.',
    values: 'true or unset',
    uses: (job) => {
      if (isWindows(job)) return [];
      return ofContainers(job, (container, at) => {
        const value = ownMember(memberOf(container, 'securityContext'), 'allowPrivilegeEscalation');
        if (value === false) return [];
        const found = value === true ? 'true' : unset;
        const message = `${found}; write false`;
        return [use(`${at}.securityContext.allowPrivilegeEscalation`, found, message)];
      });
    },
  },
  {
    name: 'dropCapabilities',
    since,
    says: 'A container does not drop all capabilities. Pods of Windows need not.',
    values: 'the name of the container',
    uses: (job) => {
      if (isWindows(job)) return [];
      return ofContainers(job, (container, at) => {
        const capabilities = memberOf(memberOf(container, 'securityContext'), 'capabilities');
        const dropped = texts(capabilities['drop']);
        if (dropped.includes('ALL')) return [];
        const found = dropped.length === 0 ? unset : dropped.join(', ');
        const message = `${found}; write ["ALL"]`;
        const path = `${at}.securityContext.capabilities.drop`;
        return [use(path, textOf(container, 'name'), message)];
      });
    },
  },
  {
    name: 'runAsNonRoot',
    since,
    says: 'A container may run as root. With `hostUsers: false` it may.',
    values: 'false or unset',
    uses: (job) => (hasUserNamespace(job) ? [] : maybeRoot(job)),
  },
  {
    name: 'runAsUser',
    since,
    says: 'The Pod or a container runs as the user 0. With `hostUsers: false` it may.',
    values: '0',
    uses: (job) => {
      if (hasUserNamespace(job)) return [];
      return ofSecurityContexts(job, (context, at) =>
        context['runAsUser'] === 0
          ? [use(`${at}.runAsUser`, '0', '0 is root; write the id of another user')]
          : [],
      );
    },
  },
] as const satisfies readonly PodRule[];

/** An explicit `false`, or a container where neither it nor the Pod sets a value. */
function maybeRoot(job: JsonObject): readonly Use[] {
  const isSettled = typeof runAsNonRoot(podOf(job)) === 'boolean';
  return [
    ...ofSecurityContexts(job, (context, at) =>
      context['runAsNonRoot'] === false
        ? [use(`${at}.runAsNonRoot`, 'false', 'false lets it run as root; write true')]
        : [],
    ),
    ...(isSettled ? [] : ofContainers(job, unsettled)),
  ];
}

function unsettled(container: JsonObject, at: string): readonly Use[] {
  if (typeof runAsNonRoot(container) === 'boolean') return [];
  const message = `${unset}; write true here, or in the securityContext of the Pod`;
  return [use(`${at}.securityContext.runAsNonRoot`, unset, message)];
}

function runAsNonRoot(holder: JsonObject) {
  return ownMember(memberOf(holder, 'securityContext'), 'runAsNonRoot');
}
