/**
 * The profile baseline: no known way from a Pod to its node. Source: the Pod Security Standards, and for
 * gitRepo volumes the advice in their documentation. A narrower form of a control under restricted is in
 * the same rule.
 */
import { isObject } from '#shared/domain/json-value.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { lists, memberOf, textOf } from './json-members.ts';
import {
  given,
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

const since = 'baseline';

/** Container runtimes grant them by default. */
const ordinaryCapabilities: ReadonlySet<string> = new Set(
  (
    'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID ' +
    'SETPCAP SETUID SYS_CHROOT'
  ).split(' '),
);
const restrictedCapabilities: ReadonlySet<string> = new Set(['NET_BIND_SERVICE']);

const seLinuxTypes = ['container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'];

/** They affect the Pod alone, not its node or other Pods. */
const safeSysctls: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_notsent_lowat',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_slow_start_after_idle',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.tcp_wmem',
]);

const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/';

export const baselineRules = [
  {
    name: 'hostNamespaces',
    since,
    says: 'The Pod shares the network, the processes or the IPC of its node.',
    values: 'hostNetwork, hostPID or hostIPC',
    uses: (job) =>
      ['hostNetwork', 'hostPID', 'hostIPC']
        .filter((name) => podOf(job)[name] === true)
        .map((name) => use(`${podAt}.${name}`, name, 'true shares it with the node; leave it out')),
  },
  {
    name: 'hostPath',
    since,
    says: 'A volume is a path of the node.',
    values: 'the path',
    uses: (job) =>
      lists(podOf(job), 'volumes').flatMap(([volume, index]) => {
        if (!isObject(ownMember(volume, 'hostPath'))) return [];
        const path = textOf(memberOf(volume, 'hostPath'), 'path');
        const message = `${path} is a path of the node; use a persistentVolumeClaim, or an emptyDir for scratch files`;
        return [use(`${podAt}.volumes[${index}].hostPath`, path, message)];
      }),
  },
  {
    name: 'gitRepo',
    since,
    says: 'A volume is a gitRepo: its node runs git as root on what the user names. The standard forbids it in restricted only.',
    values: 'the repository',
    uses: (job) =>
      lists(podOf(job), 'volumes').flatMap(([volume, index]) => {
        if (!isObject(ownMember(volume, 'gitRepo'))) return [];
        const repository = textOf(memberOf(volume, 'gitRepo'), 'repository');
        const message = `the node runs git on ${repository}; use an emptyDir, and an init container that clones into it`;
        return [use(`${podAt}.volumes[${index}].gitRepo`, repository, message)];
      }),
  },
  {
    name: 'hostPorts',
    since,
    says: 'A container listens on a port of the node.',
    values: 'the port',
    uses: (job) =>
      ofContainers(job, (container, at) =>
        lists(container, 'ports').flatMap(([port, index]) => {
          const value = ownMember(port, 'hostPort');
          if (typeof value !== 'number' || value === 0) return [];
          const message = `${value} is a port of the node; leave it out`;
          return [use(`${at}.ports[${index}].hostPort`, String(value), message)];
        }),
      ),
  },
  {
    name: 'probeHosts',
    since,
    says: 'A probe or a lifecycle handler connects from the node to a host of its choice.',
    values: 'the host',
    uses: (job) =>
      ofContainers(job, (container, at) =>
        handlersOf(container).flatMap(([handler, where]) =>
          ['httpGet', 'tcpSocket'].flatMap((name) =>
            given(memberOf(handler, name), 'host', (host) => {
              const message = `the node would connect to ${host}; leave it out, which means the Pod itself`;
              return [use(`${at}.${where}.${name}.host`, host, message)];
            }),
          ),
        ),
      ),
  },
  {
    name: 'privileged',
    since,
    says: 'A container is privileged.',
    values: 'the name of the container',
    uses: (job) =>
      ofContainers(job, (container, at) => {
        if (memberOf(container, 'securityContext')['privileged'] !== true) return [];
        const message =
          'true lets the container do on its node whatever root may do; leave it out, and add the capabilities that it needs';
        return [use(`${at}.securityContext.privileged`, textOf(container, 'name'), message)];
      }),
  },
  {
    name: 'capabilities',
    since,
    says: 'A container adds a capability that container runtimes do not grant anyway. Under restricted: any but NET_BIND_SERVICE.',
    values: 'the capability, such as NET_ADMIN',
    uses: (job, profile) => {
      const isRestricted = profile === 'restricted';
      if (isRestricted && isWindows(job)) return [];
      const allowed = isRestricted ? restrictedCapabilities : ordinaryCapabilities;
      const advice = isRestricted
        ? 'leave it out; NET_BIND_SERVICE may be added'
        : 'leave it out, unless it is one that runtimes grant anyway';
      return ofContainers(job, (container, at) =>
        texts(memberOf(memberOf(container, 'securityContext'), 'capabilities')['add'])
          .filter((name) => !allowed.has(name))
          .map((name) =>
            use(
              `${at}.securityContext.capabilities.add`,
              name,
              `${name} is added to the container; ${advice}`,
            ),
          ),
      );
    },
  },
  {
    name: 'procMount',
    since,
    says: 'A container sees /proc without the masks of the runtime. A Pod with `hostUsers: false` may, but not under restricted.',
    values: 'the procMount',
    uses: (job, profile) => {
      if (profile !== 'restricted' && hasUserNamespace(job)) return [];
      return ofContainers(job, (container, at) =>
        given(memberOf(container, 'securityContext'), 'procMount', (value) => {
          if (value === 'Default') return [];
          const message = `${value} mounts /proc without its masks; write Default, or leave it out`;
          return [use(`${at}.securityContext.procMount`, value, message)];
        }),
      );
    },
  },
  {
    name: 'hostProcess',
    since,
    says: 'A container is a process of its Windows node.',
    values: 'true',
    uses: (job) =>
      ofSecurityContexts(job, (context, at) => {
        if (memberOf(context, 'windowsOptions')['hostProcess'] !== true) return [];
        const message = 'true makes the container a process of its node; leave it out';
        return [use(`${at}.windowsOptions.hostProcess`, 'true', message)];
      }),
  },
  {
    name: 'seccompProfile',
    since,
    says: 'The Pod or a container turns off the filter of system calls. Under restricted: it does not name a filter.',
    values: 'the type, such as Unconfined, or unset',
    uses: (job, profile) => [
      ...ofSecurityContexts(job, (context, at) => profileOf(context, at, 'seccompProfile')),
      ...(profile === 'restricted' && !isWindows(job) ? withoutSeccomp(job) : []),
    ],
  },
  {
    name: 'appArmorProfile',
    since,
    says: 'The Pod or a container turns off AppArmor, by its field or by the annotation before it.',
    values: 'the type or the profile, such as Unconfined or unconfined',
    uses: (job) => [
      ...ofSecurityContexts(job, (context, at) => profileOf(context, at, 'appArmorProfile')),
      ...appArmorAnnotations(job),
    ],
  },
  {
    name: 'seLinuxOptions',
    since,
    says: 'The Pod or a container names its SELinux user or role, or a type that is not of containers.',
    values: 'the user, role or type',
    uses: (job) =>
      ofSecurityContexts(job, (context, at) => {
        const options = memberOf(context, 'seLinuxOptions');
        return [
          ...given(options, 'type', (type) => {
            if (seLinuxTypes.includes(type)) return [];
            const message = `${type} is no type of containers; write one of ${seLinuxTypes.join(', ')}, or leave it out`;
            return [use(`${at}.seLinuxOptions.type`, type, message)];
          }),
          ...['user', 'role'].flatMap((name) =>
            given(options, name, (value) => {
              const message = `${value} replaces the ${name} that the node gives to containers; leave it out`;
              return [use(`${at}.seLinuxOptions.${name}`, value, message)];
            }),
          ),
        ];
      }),
  },
  {
    name: 'sysctls',
    since,
    says: 'The Pod sets a parameter of the kernel that reaches beyond it.',
    values: 'the name of the sysctl',
    uses: (job) =>
      lists(memberOf(podOf(job), 'securityContext'), 'sysctls').flatMap(([sysctl, index]) =>
        given(sysctl, 'name', (name) => {
          if (safeSysctls.has(name)) return [];
          const message = `${name} reaches beyond the Pod; leave it out, and set it on the node`;
          return [use(`${podAt}.securityContext.sysctls[${index}].name`, name, message)];
        }),
      ),
  },
] as const satisfies readonly PodRule[];

/** The kubelet's hooks and probes of a container, with their paths in the container. */
function handlersOf(container: JsonObject): readonly (readonly [JsonObject, string])[] {
  const lifecycle = memberOf(container, 'lifecycle');
  return [
    ...['livenessProbe', 'readinessProbe', 'startupProbe'].map(
      (name) => [memberOf(container, name), name] as const,
    ),
    ...['postStart', 'preStop'].map(
      (name) => [memberOf(lifecycle, name), `lifecycle.${name}`] as const,
    ),
  ];
}

const confined = ['RuntimeDefault', 'Localhost'];

/** The named profile, if it does not confine. */
function profileOf(
  context: JsonObject,
  at: string,
  field: 'seccompProfile' | 'appArmorProfile',
): readonly Use[] {
  if (!isObject(ownMember(context, field))) return [];
  const type = textOf(memberOf(context, field), 'type');
  if (confined.includes(type)) return [];
  const found =
    type === '' ? `${unset} does not confine the processes` : `${type} lifts the confinement`;
  const message = `${found}; write RuntimeDefault or Localhost`;
  return [use(`${at}.${field}.type`, type === '' ? unset : type, message)];
}

/** Containers with no filter in their own securityContext or the Pod's. */
function withoutSeccomp(job: JsonObject): readonly Use[] {
  const isNamed = (holder: JsonObject): boolean =>
    isObject(ownMember(memberOf(holder, 'securityContext'), 'seccompProfile'));
  if (isNamed(podOf(job))) return [];
  return ofContainers(job, (container, at) => {
    if (isNamed(container)) return [];
    const message = `${unset}; write RuntimeDefault or Localhost here, or in the securityContext of the Pod`;
    return [use(`${at}.securityContext.seccompProfile.type`, unset, message)];
  });
}

function appArmorAnnotations(job: JsonObject): readonly Use[] {
  const annotations = memberOf(memberOf(memberOf(job, 'template'), 'metadata'), 'annotations');
  return Object.entries(annotations).flatMap(([key, value]) => {
    if (!key.startsWith(appArmorAnnotation) || typeof value !== 'string') return [];
    if (['', 'runtime/default'].includes(value) || value.startsWith('localhost/')) return [];
    const message = `${key} is ${value}, which lifts the confinement; write runtime/default or localhost/..., or leave it out`;
    return [use('template.metadata.annotations', value, message)];
  });
}
