/**
 * The policy on Pods and the Pod Security admission of a real API server judge the same Pods alike, under both
 * profiles. The unit test of the standards has the Pods that the API server refuses before that admission.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { breachesOf } from '#shared/policy/pod-policy.ts';
import type { PodProfile } from '#shared/policy/pod-profile.ts';
import { podRules } from '#shared/policy/pod-rules.ts';
import { apiRequests, type ApiRequests } from '#test/support/api-requests.ts';

const cluster = inject('cluster');
const main = { name: 'main', image: 'busybox:1.28' };
const hardened: JsonObject = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};
const inMain = (fields: JsonObject): JsonObject => ({ containers: [{ ...main, ...fields }] });
const secured = (securityContext: JsonObject): JsonObject => inMain({ securityContext });
/** A restricted Pod except for these fields. */
const but = (fields: JsonObject): JsonObject => secured({ ...hardened, ...fields });
const without = (name: string): JsonObject =>
  secured(Object.fromEntries(Object.entries(hardened).filter(([key]) => key !== name)));
const inPod = (pod: JsonObject): JsonObject => ({ ...but({}), ...pod });
const volume = (source: JsonObject): JsonObject => inPod({ volumes: [{ name: 'v', ...source }] });
const sysctl = (name: string, value: string): JsonObject =>
  inPod({ securityContext: { sysctls: [{ name, value }] } });
const probe = { httpGet: { port: 80, host: '10.0.0.1' } };
const stopping = { preStop: { httpGet: { port: 80, host: '10.0.0.1' } } };

const pods: readonly (readonly [string, JsonObject])[] = [
  ['an ordinary Pod', inMain({})],
  ['a hardened Pod', but({})],
  ['an init container that is not hardened', inPod({ initContainers: [{ ...main, name: 'i' }] })],
  ['a host port', inMain({ ports: [{ containerPort: 80, hostPort: 80 }] })],
  ['a port', inMain({ ports: [{ containerPort: 80 }] })],
  ...['hostNetwork', 'hostPID', 'hostIPC'].map((name) => [name, inPod({ [name]: true })] as const),
  ...['CHOWN', 'NET_BIND_SERVICE', 'NET_RAW', 'SYS_ADMIN', 'ALL'].map(
    (name) =>
      [`the capability ${name}`, but({ capabilities: { drop: ['ALL'], add: [name] } })] as const,
  ),
  ['a capability that is dropped alone', but({ capabilities: { drop: ['NET_RAW'] } })],
  ...Object.keys(hardened).map((name) => [`no ${name}`, without(name)] as const),
  ['an escalation of privileges', but({ allowPrivilegeEscalation: true })],
  ['runAsNonRoot false', but({ runAsNonRoot: false })],
  ['runAsNonRoot false in the Pod', inPod({ securityContext: { runAsNonRoot: false } })],
  ['the user 0', but({ runAsUser: 0 })],
  ['the user 0 of the Pod', inPod({ securityContext: { runAsUser: 0 } })],
  ['the user 1', but({ runAsUser: 1 })],
  ['the user 0 in a user namespace', { ...but({ runAsUser: 0 }), hostUsers: false }],
  ['no runAsNonRoot in a user namespace', { ...without('runAsNonRoot'), hostUsers: false }],
  ...['seccompProfile', 'appArmorProfile'].flatMap((name) =>
    ['Unconfined', 'RuntimeDefault'].flatMap((type) => [
      [`${name} ${type}`, but({ [name]: { type } })] as const,
      [`${name} ${type} of the Pod`, inPod({ securityContext: { [name]: { type } } })] as const,
    ]),
  ),
  [
    'seccompProfile Localhost',
    but({ seccompProfile: { type: 'Localhost', localhostProfile: 'p' } }),
  ],
  ['a masked /proc', but({ procMount: 'Default' })],
  ['an unmasked /proc', { ...but({ procMount: 'Unmasked' }), hostUsers: false }],
  ...['container_t', 'container_engine_t', 'spc_t'].map(
    (type) => [`the SELinux type ${type}`, but({ seLinuxOptions: { type } })] as const,
  ),
  ['an SELinux user', but({ seLinuxOptions: { user: 'system_u' } })],
  ['an SELinux role of the Pod', inPod({ securityContext: { seLinuxOptions: { role: 'r' } } })],
  ['an SELinux level', but({ seLinuxOptions: { level: 's0:c1,c2' } })],
  ['a safe sysctl', sysctl('net.ipv4.tcp_fin_timeout', '60')],
  ['another safe sysctl', sysctl('net.ipv4.tcp_rmem', '4096 131072 6291456')],
  ['an unsafe sysctl', sysctl('kernel.msgmax', '65536')],
  ['a sysctl of the node', sysctl('net.core.somaxconn', '1024')],
  [
    'a probe of another host',
    inPod({ containers: [{ ...main, securityContext: hardened, livenessProbe: probe }] }),
  ],
  [
    'a handler of another host',
    inPod({ containers: [{ ...main, securityContext: hardened, lifecycle: stopping }] }),
  ],
  ['a path of the node', volume({ hostPath: { path: '/etc' } })],
  ['a volume of NFS', volume({ nfs: { server: 's', path: '/' } })],
  [
    'a volume of iSCSI',
    volume({ iscsi: { targetPortal: '1.2.3.4', iqn: 'iqn.2001-04.com.example:s', lun: 0 } }),
  ],
  ['an emptyDir', volume({ emptyDir: {} })],
  ['a volume without a source', volume({})],
  ['a claim', volume({ persistentVolumeClaim: { claimName: 'c' } })],
  ['a volume of an image', volume({ image: { reference: 'busybox:1.28' } })],
  ['a Pod of Windows', { ...secured({ runAsNonRoot: true }), os: { name: 'windows' } }],
  ['a Pod of Windows that may be root', { ...inMain({}), os: { name: 'windows' } }],
];

/** Only rules that are controls of the standards. */
const controls = podRules.flatMap((rule) => ('since' in rule ? [rule.name as string] : []));

function ourVerdict(profile: PodProfile, spec: JsonObject): 'taken' | 'refused' {
  const found = breachesOf({ template: { spec } }, { profile, exceptions: {} });
  return found.some(({ rule }) => controls.includes(rule)) ? 'refused' : 'taken';
}

describe.skipIf(cluster === undefined).each(['baseline', 'restricted'] as const)(
  'Pod Security admission under the profile %s',
  (profile) => {
    let api: ApiRequests;
    const namespace = `pod-security-${profile}`;
    const path = `/api/v1/namespaces/${namespace}`;

    beforeAll(async () => {
      api = apiRequests(cluster!);
      const labels = {
        'pod-security.kubernetes.io/enforce': profile,
        'pod-security.kubernetes.io/enforce-version': 'latest',
      };
      await api.post('/api/v1/namespaces', { metadata: { name: namespace, labels } });
      // Each Pod needs it, and its controller may be late.
      await api.post(`${path}/serviceaccounts`, { metadata: { name: 'default' } });
    });
    afterAll(async () => {
      await api.delete(path);
      await api.close();
    });

    it.each(pods)('judges %s as our policy does', async (_, spec) => {
      const pod = { metadata: { name: 'specimen' }, spec };
      const { status, message } = await api.post(`${path}/pods?dryRun=All`, pod);
      const verdict =
        status === 201 ? 'taken' : message.includes('violates PodSecurity') ? 'refused' : message;
      expect(verdict).toBe(ourVerdict(profile, spec));
    });
  },
);
