/**
 * The controls of the Pod Security Standards, with the fields that each restricts and the forbidden and
 * allowed values. Source: the checks of pod-security-admission (policy/check_*.go), at the newest
 * version of each.
 */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { omit } from '#shared/domain/omit.ts';
import { breachesOf, breachWords, type PodPolicy } from './pod-policy.ts';
import type { PodProfile } from './pod-profile.ts';

const kinds = ['initContainers', 'containers', 'ephemeralContainers'] as const;
const main = { name: 'main', image: 'busybox' };
/** The fields that restricted requires, in the container alone. */
const hardened: JsonObject = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};
const hardenedMain: JsonObject = { ...main, securityContext: hardened };
const under = (profile: PodProfile): PodPolicy => ({ profile, exceptions: {} });

/** `rule path` of each breach. */
function broken(profile: PodProfile, pod: JsonObject, annotations: JsonObject = {}) {
  const job = { template: { metadata: { annotations }, spec: pod } };
  return breachesOf(job, under(profile)).map(({ rule, path }) => `${rule} ${path}`);
}

/** A deeply nested member of an object: `a.b[0].c`. */
function nested(path: string, value: Json): JsonObject {
  const [name = '', ...rest] = path.split('.');
  const inner = rest.length === 0 ? value : nested(rest.join('.'), value);
  return name.endsWith('[0]') ? { [name.slice(0, -3)]: [inner] } : { [name]: inner };
}

interface Control {
  readonly rule: string;
  /** Path from the Pod, or from each container. */
  readonly field: string;
  readonly forbidden: readonly Json[];
  readonly taken: readonly Json[];
  /** Where it is reported, if not at the field. */
  readonly reported?: string;
}

const control = (
  rule: string,
  field: string,
  forbidden: readonly Json[],
  taken: readonly Json[],
  reported = field,
): Control => ({ rule, field, forbidden, taken, reported });

const context = 'securityContext';
const profiles = (rule: string) =>
  control(
    rule,
    `${context}.${rule}`,
    [{ type: 'Unconfined' }, { type: 'Other' }, { type: '' }, {}],
    [{ type: 'RuntimeDefault' }, { type: 'Localhost', localhostProfile: 'p' }, null],
    `${context}.${rule}.type`,
  );
const ofPodOrContainer: readonly Control[] = [
  profiles('seccompProfile'),
  profiles('appArmorProfile'),
  control(
    'seLinuxOptions',
    `${context}.seLinuxOptions.type`,
    ['spc_t', 'unconfined_t'],
    ['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'],
  ),
  control('seLinuxOptions', `${context}.seLinuxOptions.user`, ['system_u'], ['', null]),
  control('seLinuxOptions', `${context}.seLinuxOptions.role`, ['system_r'], ['', null]),
  control('hostProcess', `${context}.windowsOptions.hostProcess`, [true], [false, null]),
];

const ofPod: readonly Control[] = [
  ...ofPodOrContainer,
  ...['hostNetwork', 'hostPID', 'hostIPC'].map((field) =>
    control('hostNamespaces', field, [true], [false, null]),
  ),
  control('hostPath', 'volumes[0].hostPath', [{ path: '/' }, {}], [null]),
  control('gitRepo', 'volumes[0].gitRepo', [{ repository: 'x' }, {}], [null]),
  control(
    'sysctls',
    `${context}.sysctls[0].name`,
    ['kernel.msgmax', 'net.core.somaxconn', 'net.ipv4.ip_forward'],
    [
      'kernel.shm_rmid_forced',
      'net.ipv4.ip_local_port_range',
      'net.ipv4.tcp_syncookies',
      'net.ipv4.ping_group_range',
      'net.ipv4.ip_unprivileged_port_start',
      'net.ipv4.ip_local_reserved_ports',
      'net.ipv4.tcp_keepalive_time',
      'net.ipv4.tcp_fin_timeout',
      'net.ipv4.tcp_keepalive_intvl',
      'net.ipv4.tcp_keepalive_probes',
      'net.ipv4.tcp_rmem',
      'net.ipv4.tcp_wmem',
      'net.ipv4.tcp_slow_start_after_idle',
      'net.ipv4.tcp_notsent_lowat',
    ],
  ),
];

const ofContainer: readonly Control[] = [
  ...ofPodOrContainer,
  control('privileged', `${context}.privileged`, [true], [false, null]),
  control(
    'capabilities',
    `${context}.capabilities.add`,
    [['NET_RAW'], ['CHOWN', 'SYS_ADMIN'], ['ALL'], ['CAP_CHOWN'], ['chown']],
    [[], ['CHOWN', 'NET_BIND_SERVICE'], null],
  ),
  control('procMount', `${context}.procMount`, ['Unmasked'], ['Default', null]),
  control('hostPorts', 'ports[0].hostPort', [80], [0, null]),
  ...['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle.postStart', 'lifecycle.preStop']
    .flatMap((handler) => ['httpGet', 'tcpSocket'].map((action) => `${handler}.${action}.host`))
    .map((field) => control('probeHosts', field, ['169.254.169.254', 'localhost'], ['', null])),
];

const cases = (controls: readonly Control[], which: 'forbidden' | 'taken') =>
  controls.flatMap((of) => of[which].map((value) => [of.field, value, of] as const));

describe('baseline forbids', () => {
  it.each(cases(ofPod, 'forbidden'))('in the Pod: %s %j', (field, value, { rule, reported }) => {
    const pod = { containers: [main], ...nested(field, value) };
    expect(broken('baseline', pod)).toEqual([`${rule} template.spec.${reported}`]);
    expect(broken('restricted', pod)).toContain(`${rule} template.spec.${reported}`);
    expect(broken('privileged', pod)).toEqual([]);
  });

  it.each(cases(ofContainer, 'forbidden'))(
    'in each kind of container: %s %j',
    (field, value, { rule, reported }) => {
      for (const kind of kinds) {
        const pod = { containers: [main], [kind]: [main, { ...main, ...nested(field, value) }] };
        const breach = `${rule} template.spec.${kind}[1].${reported}`;
        expect(broken('baseline', pod)).toEqual([breach]);
        expect(broken('restricted', pod)).toContain(breach);
        expect(broken('privileged', pod)).toEqual([]);
      }
    },
  );

  it.each(['unconfined', 'localhost', 'runtime/other'])('the AppArmor annotation %s', (profile) => {
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/main': profile };
    expect(broken('baseline', { containers: [main] }, annotations)).toEqual([
      'appArmorProfile template.metadata.annotations',
    ]);
  });
});

describe('baseline takes', () => {
  it.each([...cases(ofPod, 'taken')])('in the Pod: %s %j', (field, value) => {
    expect(broken('baseline', { containers: [main], ...nested(field, value) })).toEqual([]);
  });

  it.each([...cases(ofContainer, 'taken')])('in a container: %s %j', (field, value) => {
    for (const kind of kinds) {
      const pod = { containers: [main], [kind]: [{ ...main, ...nested(field, value) }] };
      expect(broken('baseline', pod)).toEqual([]);
    }
  });

  it.each(['', 'runtime/default', 'localhost/p'])('the AppArmor annotation "%s"', (profile) => {
    const annotations = {
      'container.apparmor.security.beta.kubernetes.io/main': profile,
      'example.com/profile': 'unconfined',
    };
    expect(broken('baseline', { containers: [main] }, annotations)).toEqual([]);
  });

  it('an unmasked /proc in a user namespace, which restricted does not', () => {
    const securityContext = { ...hardened, procMount: 'Unmasked' };
    const pod = { hostUsers: false, containers: [{ ...main, securityContext }] };
    expect(broken('baseline', pod)).toEqual([]);
    expect(broken('restricted', pod)).toEqual([
      'procMount template.spec.containers[0].securityContext.procMount',
    ]);
  });
});

describe('restricted forbids', () => {
  const missing: readonly (readonly [string, string, string])[] = [
    ['allowPrivilegeEscalation', 'allowPrivilegeEscalation', 'allowPrivilegeEscalation'],
    ['capabilities', 'dropCapabilities', 'capabilities.drop'],
    ['runAsNonRoot', 'runAsNonRoot', 'runAsNonRoot'],
    ['seccompProfile', 'seccompProfile', 'seccompProfile.type'],
  ];

  it.each(missing)('each kind of container without %s', (field, rule, reported) => {
    const securityContext = omit(hardened, field);
    for (const kind of kinds) {
      const pod = { containers: [hardenedMain], [kind]: [{ ...main, securityContext }] };
      expect(broken('restricted', pod)).toEqual([
        `${rule} template.spec.${kind}[0].securityContext.${reported}`,
      ]);
      expect(broken('baseline', pod)).toEqual([]);
    }
  });

  it.each<[JsonObject, string]>([
    [{ allowPrivilegeEscalation: true }, 'allowPrivilegeEscalation allowPrivilegeEscalation'],
    [{ capabilities: { drop: ['NET_RAW'] } }, 'dropCapabilities capabilities.drop'],
    [{ capabilities: { drop: ['all'] } }, 'dropCapabilities capabilities.drop'],
    [{ capabilities: { drop: ['ALL'], add: ['CHOWN'] } }, 'capabilities capabilities.add'],
    [{ runAsNonRoot: false }, 'runAsNonRoot runAsNonRoot'],
    [{ runAsUser: 0 }, 'runAsUser runAsUser'],
    [{ seccompProfile: { type: 'Unconfined' } }, 'seccompProfile seccompProfile.type'],
    [{ procMount: 'Unmasked' }, 'procMount procMount'],
  ])('%j in each kind of container', (fields, breach) => {
    const [rule = '', reported = ''] = breach.split(' ');
    for (const kind of kinds) {
      const securityContext = { ...hardened, ...fields };
      const pod = { containers: [hardenedMain], [kind]: [{ ...main, securityContext }] };
      expect(broken('restricted', pod)).toEqual([
        `${rule} template.spec.${kind}[0].securityContext.${reported}`,
      ]);
    }
  });

  it.each<[JsonObject, string]>([
    [{ runAsNonRoot: false }, 'runAsNonRoot runAsNonRoot'],
    [{ runAsUser: 0 }, 'runAsUser runAsUser'],
    [{ seccompProfile: { type: 'Unconfined' } }, 'seccompProfile seccompProfile.type'],
  ])('%j in the Pod, whatever its containers say', (securityContext, breach) => {
    const [rule = '', reported = ''] = breach.split(' ');
    expect(broken('restricted', { securityContext, containers: [hardenedMain] })).toEqual([
      `${rule} template.spec.securityContext.${reported}`,
    ]);
  });

  it.each(
    (
      'gcePersistentDisk awsElasticBlockStore nfs iscsi glusterfs rbd flexVolume cinder cephfs ' +
      'flocker fc azureFile vsphereVolume quobyte azureDisk portworxVolume photonPersistentDisk ' +
      'scaleIO storageos notKnownYet'
    ).split(' '),
  )('a volume of %s', (source) => {
    const pod = { containers: [hardenedMain], volumes: [{ name: 'v', [source]: {} }] };
    expect(broken('restricted', pod)).toEqual([`volumeTypes template.spec.volumes[0].${source}`]);
    expect(broken('baseline', pod)).toEqual([]);
  });

  it.each(['hostPath', 'gitRepo'])('a volume of %s, which it reports once', (source) => {
    const pod = { containers: [hardenedMain], volumes: [{ name: 'v', [source]: {} }] };
    expect(broken('restricted', pod)).toEqual([`${source} template.spec.volumes[0].${source}`]);
  });
});

describe('restricted takes', () => {
  it('a Pod that says it of all containers, where that is possible', () => {
    const { runAsNonRoot, seccompProfile, ...own } = hardened;
    const containers = [{ ...main, securityContext: own }];
    const securityContext = { runAsNonRoot, seccompProfile, runAsUser: 1000 };
    expect(broken('restricted', { securityContext, containers })).toEqual([]);
  });

  it('NET_BIND_SERVICE', () => {
    const securityContext = {
      ...hardened,
      capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
    };
    expect(broken('restricted', { containers: [{ ...main, securityContext }] })).toEqual([]);
  });

  it('a volume of each ordinary source, and one without a source, which is an emptyDir', () => {
    const sources =
      'configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret';
    const volumes = [...sources.split(' ').map((source) => ({ [source]: {} })), { nfs: null }];
    expect(broken('restricted', { containers: [hardenedMain], volumes })).toEqual([]);
  });

  it('root in a user namespace', () => {
    const own = omit(hardened, 'runAsNonRoot');
    const containers = [{ ...main, securityContext: { ...own, runAsUser: 0 } }];
    expect(broken('restricted', { hostUsers: false, containers })).toEqual([]);
    expect(broken('restricted', { hostUsers: true, containers })).toEqual([
      'runAsNonRoot template.spec.containers[0].securityContext.runAsNonRoot',
      'runAsUser template.spec.containers[0].securityContext.runAsUser',
    ]);
  });

  it('a Pod of Windows without the fields of Linux, but not one that may run as root', () => {
    const pod = { os: { name: 'windows' }, containers: [main] };
    expect(broken('restricted', pod)).toEqual([
      'runAsNonRoot template.spec.containers[0].securityContext.runAsNonRoot',
    ]);
    const securityContext = { runAsNonRoot: true };
    expect(broken('restricted', { ...pod, securityContext })).toEqual([]);
    expect(broken('restricted', { ...pod, os: { name: 'linux' }, securityContext })).toHaveLength(
      3,
    );
  });
});

it('a refusal names the field, the value, what to write, the rule and the profile', () => {
  const pod = {
    containers: [{ ...main, securityContext: { seccompProfile: { type: 'Unconfined' } } }],
  };
  const words = (profile: PodProfile) =>
    breachesOf({ template: { spec: pod } }, under(profile)).map(breachWords);
  const at = 'template.spec.containers[0].securityContext';
  expect(words('baseline')).toEqual([
    `${at}.seccompProfile.type: Unconfined lifts the confinement; write RuntimeDefault or Localhost (policy seccompProfile, profile baseline)`,
  ]);
  expect(words('restricted')).toEqual([
    `${at}.seccompProfile.type: Unconfined lifts the confinement; write RuntimeDefault or Localhost (policy seccompProfile, profile restricted)`,
    `${at}.allowPrivilegeEscalation: unset; write false (policy allowPrivilegeEscalation, profile restricted)`,
    `${at}.capabilities.drop: unset; write ["ALL"] (policy dropCapabilities, profile restricted)`,
    `${at}.runAsNonRoot: unset; write true here, or in the securityContext of the Pod (policy runAsNonRoot, profile restricted)`,
  ]);
});
