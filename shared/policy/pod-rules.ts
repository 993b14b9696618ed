/**
 * What a Pod of a batch Job hardly ever needs, and what reaches beyond it: its node, the control plane,
 * or the controllers around it. Sources: the baseline of the Pod Security Standards, RBAC good
 * practices ("workload creation").
 *
 * Anything may stand in a template, so nothing is taken for granted of its shape; what has the wrong
 * shape is for the API server to refuse.
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { lists, memberOf, textOf } from './json-members.ts';

/** One thing in a Job that a rule is about. */
export interface Use {
  /** From the spec of the Job. */
  readonly path: string;
  /** What settings can make an exception of: a capability, a path, a name. */
  readonly value: string;
  readonly message: string;
}

export interface PodRule {
  readonly name: string;
  /** What it is about, for the reference page. */
  readonly says: string;
  /** What a value is, for the reference page. */
  readonly values: string;
  readonly uses: (job: JsonObject) => readonly Use[];
}

/** Those of the baseline; a container runtime grants them anyway. */
const ordinaryCapabilities: ReadonlySet<string> = new Set(
  (
    'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID ' +
    'SETPCAP SETUID SYS_CHROOT'
  ).split(' '),
);

const controlPlaneKeys: ReadonlySet<string> = new Set([
  'node-role.kubernetes.io/control-plane',
  'node-role.kubernetes.io/master',
]);

const podAt = 'template.spec';
const podOf = (job: JsonObject): JsonObject => memberOf(memberOf(job, 'template'), 'spec');

export const podRules = [
  {
    name: 'hostNamespaces',
    says: 'The Pod shares the network, the processes or the IPC of its node.',
    values: 'hostNetwork, hostPID or hostIPC',
    uses: (job) =>
      ['hostNetwork', 'hostPID', 'hostIPC']
        .filter((name) => podOf(job)[name] === true)
        .map((name) => use(`${podAt}.${name}`, name, `the Pod shares it with its node`)),
  },
  {
    name: 'hostPath',
    says: 'A volume is a path of the node.',
    values: 'the path',
    uses: (job) =>
      lists(podOf(job), 'volumes').flatMap(([volume, index]) => {
        if (!isObject(volume['hostPath'])) return [];
        const path = textOf(volume['hostPath'], 'path');
        return [use(`${podAt}.volumes[${index}].hostPath`, path, `${path} is a path of the node`)];
      }),
  },
  {
    name: 'hostPorts',
    says: 'A container listens on a port of the node.',
    values: 'the port',
    uses: (job) =>
      ofContainers(job, (container, at) =>
        lists(container, 'ports').flatMap(([port, index]) => {
          const value = port['hostPort'];
          if (typeof value !== 'number' || value === 0) return [];
          const message = `${value} is a port of the node`;
          return [use(`${at}.ports[${index}].hostPort`, String(value), message)];
        }),
      ),
  },
  {
    name: 'privileged',
    says: 'A container is privileged.',
    values: 'the name of the container',
    uses: (job) =>
      ofContainers(job, (container, at) =>
        memberOf(container, 'securityContext')['privileged'] === true
          ? [
              use(
                `${at}.securityContext.privileged`,
                textOf(container, 'name'),
                'the container may do on its node whatever root may',
              ),
            ]
          : [],
      ),
  },
  {
    name: 'capabilities',
    says: 'A container adds a capability that is not in the baseline of the Pod Security Standards.',
    values: 'the capability, such as NET_ADMIN',
    uses: (job) =>
      ofContainers(job, (container, at) =>
        texts(memberOf(memberOf(container, 'securityContext'), 'capabilities')['add'])
          .filter((name) => !ordinaryCapabilities.has(name))
          .map((name) =>
            use(
              `${at}.securityContext.capabilities.add`,
              name,
              `${name} is added to the container`,
            ),
          ),
      ),
  },
  {
    name: 'procMount',
    says: 'A container sees /proc without the masks of the runtime.',
    values: 'the procMount',
    uses: (job) =>
      ofContainers(job, (container, at) => {
        const value = textOf(memberOf(container, 'securityContext'), 'procMount');
        if (value === '' || value === 'Default') return [];
        return [use(`${at}.securityContext.procMount`, value, `/proc is mounted ${value}`)];
      }),
  },
  {
    name: 'hostProcess',
    says: 'A container is a process of its Windows node.',
    values: 'true',
    uses: (job) => {
      const message = 'the container is a process of its node';
      const isHostProcess = (holder: JsonObject): boolean =>
        memberOf(memberOf(holder, 'securityContext'), 'windowsOptions')['hostProcess'] === true;
      const where = (at: string): Use =>
        use(`${at}.securityContext.windowsOptions.hostProcess`, 'true', message);
      return [
        ...(isHostProcess(podOf(job)) ? [where(podAt)] : []),
        ...ofContainers(job, (container, at) => (isHostProcess(container) ? [where(at)] : [])),
      ];
    },
  },
  {
    name: 'nodeName',
    says: 'The Pod names its node, past the scheduler, its taints and quotas. `nodeBinding: Direct` does it, too.',
    values: 'the name of the node',
    uses: (job) =>
      given(podOf(job), 'nodeName', (name) => {
        const message = `the Pod goes to ${name} past the scheduler; node affinity, as globalParams.nodeName makes it, does not`;
        return [use(`${podAt}.nodeName`, name, message)];
      }),
  },
  {
    name: 'tolerations',
    says: 'The Pod tolerates every taint, or every one of an effect.',
    values: '*',
    uses: (job) =>
      lists(podOf(job), 'tolerations').flatMap(([toleration, index]) =>
        textOf(toleration, 'key') === '' && textOf(toleration, 'operator') === 'Exists'
          ? [use(`${podAt}.tolerations[${index}]`, '*', everyTaint(textOf(toleration, 'effect')))]
          : [],
      ),
  },
  {
    name: 'controlPlane',
    says: 'The Pod tolerates the taint of the control plane, or asks for its nodes.',
    values: 'the key of the taint or label',
    uses: (job) => [...tolerated(job), ...selected(job), ...required(job)],
  },
  {
    name: 'priorityClass',
    says: 'The Pod has a priority that is meant for the cluster itself.',
    values: 'the priority class',
    uses: (job) =>
      given(podOf(job), 'priorityClassName', (name) => {
        if (!name.startsWith('system-')) return [];
        const message = `${name} is for Pods that the cluster cannot do without`;
        return [use(`${podAt}.priorityClassName`, name, message)];
      }),
  },
  {
    name: 'schedulerName',
    says: 'The Pod is left to another scheduler.',
    values: 'the name of the scheduler',
    uses: (job) =>
      given(podOf(job), 'schedulerName', (name) => {
        if (name === 'default-scheduler') return [];
        return [use(`${podAt}.schedulerName`, name, `the Pod is left to the scheduler ${name}`)];
      }),
  },
  {
    name: 'managedBy',
    says: 'The Job is left to another controller, which may say of it what it likes.',
    values: 'the name of the controller',
    uses: (job) =>
      given(job, 'managedBy', (name) => {
        if (name === 'kubernetes.io/job-controller') return [];
        return [use('managedBy', name, `the Job is left to the controller ${name}`)];
      }),
  },
  {
    name: 'finalizers',
    says: 'The Pods stay until somebody removes a finalizer.',
    values: 'the finalizer',
    uses: (job) =>
      texts(memberOf(memberOf(job, 'template'), 'metadata')['finalizers']).map((name) =>
        use('template.metadata.finalizers', name, `Pods stay until somebody removes ${name}`),
      ),
  },
  {
    name: 'serviceAccount',
    says: 'The Pod runs as a service account that the submitter may not impersonate.',
    values: 'the name of the service account',
    uses: (job) => {
      const pod = podOf(job);
      const field =
        textOf(pod, 'serviceAccountName') === '' ? 'serviceAccount' : 'serviceAccountName';
      return given(pod, field, (name) => {
        // Whoever creates a Pod gets this one without asking.
        if (name === 'default') return [];
        return [use(`${podAt}.${field}`, name, `the Pod runs as the service account ${name}`)];
      });
    },
  },
] as const satisfies readonly PodRule[];

export type PodRuleName = (typeof podRules)[number]['name'];

function everyTaint(effect: string): string {
  const which = effect === '' ? '' : ` of the effect ${effect}`;
  return `the Pod tolerates every taint${which}; name the key of one that it is to tolerate`;
}

function tolerated(job: JsonObject): readonly Use[] {
  return lists(podOf(job), 'tolerations').flatMap(([toleration, index]) => {
    const key = textOf(toleration, 'key');
    if (!controlPlaneKeys.has(key)) return [];
    const message = 'the Pod tolerates the taint of the control plane';
    return [use(`${podAt}.tolerations[${index}]`, key, message)];
  });
}

const askedFor = 'the Pod asks for a node of the control plane';

function selected(job: JsonObject): readonly Use[] {
  return Object.keys(memberOf(podOf(job), 'nodeSelector'))
    .filter((key) => controlPlaneKeys.has(key))
    .map((key) => use(`${podAt}.nodeSelector`, key, askedFor));
}

/** Only what asks for such a node; to keep away from it is what most want. */
function required(job: JsonObject): readonly Use[] {
  const affinity = memberOf(memberOf(podOf(job), 'affinity'), 'nodeAffinity');
  const name = 'requiredDuringSchedulingIgnoredDuringExecution';
  const at = `${podAt}.affinity.nodeAffinity.${name}`;
  return lists(memberOf(affinity, name), 'nodeSelectorTerms').flatMap(([term]) =>
    lists(term, 'matchExpressions').flatMap(([expression]) => {
      const key = textOf(expression, 'key');
      const asks = ['Exists', 'In'].includes(textOf(expression, 'operator'));
      return asks && controlPlaneKeys.has(key) ? [use(at, key, askedFor)] : [];
    }),
  );
}

function ofContainers(
  job: JsonObject,
  uses: (container: JsonObject, at: string) => readonly Use[],
): readonly Use[] {
  return ['initContainers', 'containers'].flatMap((name) =>
    lists(podOf(job), name).flatMap(([container, index]) =>
      uses(container, `${podAt}.${name}[${index}]`),
    ),
  );
}

function given(
  holder: JsonObject,
  name: string,
  uses: (value: string) => readonly Use[],
): readonly Use[] {
  const value = textOf(holder, name);
  return value === '' ? [] : uses(value);
}

function texts(value: Json | undefined): readonly string[] {
  return isList(value) ? value.filter((item) => typeof item === 'string') : [];
}

function use(path: string, value: string, message: string): Use {
  return { path, value, message };
}
