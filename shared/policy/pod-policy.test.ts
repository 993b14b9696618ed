import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import {
  breachesOf,
  breachWords,
  defaultPolicy,
  parsePolicy,
  type PodPolicy,
} from './pod-policy.ts';

const main = { name: 'main', image: 'busybox' };
const jobWith = (pod: JsonObject, job: JsonObject = {}): JsonObject => ({
  ...job,
  template: { spec: { containers: [main], ...pod } },
});
const withContainer = (fields: JsonObject): JsonObject =>
  jobWith({ containers: [{ ...main, ...fields }] });
const secure = (securityContext: JsonObject): JsonObject => withContainer({ securityContext });
const breaches = (job: JsonObject, policy: PodPolicy = defaultPolicy) =>
  breachesOf(job, policy).map(
    ({ rule, value, path, action }) => `${action} ${rule} ${value} ${path}`,
  );

const pod = 'template.spec';
const controlPlane = 'node-role.kubernetes.io/control-plane';
const affinity = (operator: string): JsonObject => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: controlPlane, operator }] }],
      },
    },
  },
});

it('an ordinary Job breaks nothing', () => {
  const spec = {
    serviceAccountName: 'default',
    schedulerName: 'default-scheduler',
    priorityClassName: 'batch-low',
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'gpu', operator: 'Exists' }],
    volumes: [{ name: 'tmp', emptyDir: {} }],
    containers: [
      {
        ...main,
        ports: [{ containerPort: 80 }],
        securityContext: {
          privileged: false,
          procMount: 'Default',
          capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE', 'SETUID', 'CHOWN'] },
        },
      },
    ],
  };
  expect(breaches(jobWith(spec, { managedBy: 'kubernetes.io/job-controller' }))).toEqual([]);
  expect(breaches(jobWith(affinity('DoesNotExist')))).toEqual([]);
});

describe('refused unless a setting says otherwise', () => {
  it.each<[string, JsonObject]>([
    [`hostNamespaces hostNetwork ${pod}.hostNetwork`, jobWith({ hostNetwork: true })],
    [`hostNamespaces hostPID ${pod}.hostPID`, jobWith({ hostPID: true })],
    [`hostNamespaces hostIPC ${pod}.hostIPC`, jobWith({ hostIPC: true })],
    [
      `hostPath /etc ${pod}.volumes[1].hostPath`,
      jobWith({
        volumes: [
          { name: 'tmp', emptyDir: {} },
          { name: 'etc', hostPath: { path: '/etc' } },
        ],
      }),
    ],
    [
      `hostPorts 8080 ${pod}.containers[0].ports[0].hostPort`,
      withContainer({ ports: [{ containerPort: 80, hostPort: 8080 }] }),
    ],
    [
      `privileged main ${pod}.containers[0].securityContext.privileged`,
      secure({ privileged: true }),
    ],
    [
      `capabilities SYS_ADMIN ${pod}.containers[0].securityContext.capabilities.add`,
      secure({ capabilities: { add: ['CHOWN', 'SYS_ADMIN'] } }),
    ],
    [
      `procMount Unmasked ${pod}.containers[0].securityContext.procMount`,
      secure({ procMount: 'Unmasked' }),
    ],
    [
      `hostProcess true ${pod}.containers[0].securityContext.windowsOptions.hostProcess`,
      secure({ windowsOptions: { hostProcess: true } }),
    ],
    [
      `hostProcess true ${pod}.securityContext.windowsOptions.hostProcess`,
      jobWith({ securityContext: { windowsOptions: { hostProcess: true } } }),
    ],
    [`nodeName minikube ${pod}.nodeName`, jobWith({ nodeName: 'minikube' })],
    [`tolerations * ${pod}.tolerations[0]`, jobWith({ tolerations: [{ operator: 'Exists' }] })],
    [
      `controlPlane ${controlPlane} ${pod}.tolerations[0]`,
      jobWith({ tolerations: [{ key: controlPlane, operator: 'Exists' }] }),
    ],
    [
      `controlPlane ${controlPlane} ${pod}.nodeSelector`,
      jobWith({ nodeSelector: { [controlPlane]: '' } }),
    ],
    [
      `controlPlane ${controlPlane} ${pod}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`,
      jobWith(affinity('Exists')),
    ],
    [
      `priorityClass system-node-critical ${pod}.priorityClassName`,
      jobWith({ priorityClassName: 'system-node-critical' }),
    ],
    [`schedulerName mine ${pod}.schedulerName`, jobWith({ schedulerName: 'mine' })],
    ['managedBy me.example.com/x managedBy', jobWith({}, { managedBy: 'me.example.com/x' })],
    [
      'finalizers example.com/stay template.metadata.finalizers',
      {
        template: {
          metadata: { finalizers: ['example.com/stay'] },
          spec: { containers: [main] },
        },
      },
    ],
    [
      `serviceAccount admin ${pod}.serviceAccountName`,
      jobWith({ serviceAccountName: 'admin', serviceAccount: 'admin' }),
    ],
    [`serviceAccount admin ${pod}.serviceAccount`, jobWith({ serviceAccount: 'admin' })],
  ])('%s', (breach, job) => {
    expect(breaches(job)).toEqual([`deny ${breach}`]);
  });

  it.each<[string, JsonObject]>([
    [
      'the Pod tolerates the taint of the control plane',
      jobWith({ tolerations: [{ key: controlPlane, operator: 'Exists' }] }),
    ],
    [
      'the Pod asks for a node of the control plane',
      jobWith({ nodeSelector: { [controlPlane]: '' } }),
    ],
    ['the Pod runs as the service account admin', jobWith({ serviceAccountName: 'admin' })],
  ])('in words that say why: %s', (message, job) => {
    expect(breachesOf(job, defaultPolicy)).toMatchObject([{ message }]);
  });

  it('init containers as well', () => {
    const initContainers = [{ ...main, securityContext: { privileged: true } }];
    expect(breaches(jobWith({ initContainers }))).toEqual([
      `deny privileged main ${pod}.initContainers[0].securityContext.privileged`,
    ]);
  });
});

it('what has another shape than a Job is passed over: the API server refuses it', () => {
  for (const job of [
    {},
    { template: 1 },
    jobWith({ volumes: { a: 1 }, tolerations: 'x', containers: ['y', null, { ports: [3] }] }),
  ]) {
    expect(breaches(job)).toEqual([]);
  }
});

describe('settings', () => {
  const parsed = (text: string): PodPolicy => {
    const result = parsePolicy(text);
    if ('faults' in result) throw new Error(result.faults.join());
    return result.policy;
  };
  const added = secure({ capabilities: { add: ['NET_ADMIN', 'SYS_ADMIN'] } });

  it('one value may be allowed and the others not', () => {
    expect(breaches(added, parsed('capabilities:NET_ADMIN=allow'))).toEqual([
      `deny capabilities SYS_ADMIN ${pod}.containers[0].securityContext.capabilities.add`,
    ]);
  });

  it('a value counts before its rule', () => {
    const policy = parsed('capabilities=allow, capabilities:SYS_ADMIN=warn');
    expect(breaches(added, policy)).toEqual([
      `warn capabilities SYS_ADMIN ${pod}.containers[0].securityContext.capabilities.add`,
    ]);
  });

  it('a value may hold an equals sign and a colon', () => {
    const job = jobWith({ volumes: [{ name: 'v', hostPath: { path: '/a=b:c' } }] });
    expect(breaches(job, parsed('hostPath:/a=b:c=allow'))).toEqual([]);
  });

  it('blanks may stand around the equals sign', () => {
    expect(parsed(' hostPath = warn , privileged = allow ')).toEqual({
      profile: 'baseline',
      exceptions: { hostPath: 'warn', privileged: 'allow' },
    });
  });

  it('a rule is suggested only where one is near', () => {
    expect(parsePolicy('zzz=allow')).toEqual({ faults: ['"zzz" is no rule'] });
  });

  it('nothing is every rule as it is', () => {
    expect(parsePolicy(' ')).toEqual({ policy: defaultPolicy });
  });

  it('a profile stands beside exceptions from it', () => {
    expect(parsed('nodeName=warn, profile=restricted')).toEqual({
      profile: 'restricted',
      exceptions: { nodeName: 'warn' },
    });
  });

  it('a profile is one of three, stands there once, and has no values', () => {
    expect(parsePolicy('profile=strict,profile:x=deny,profil=baseline')).toEqual({
      faults: [
        '"strict" is not one of privileged, baseline, restricted',
        '"profile:x" is no rule; did you mean "profile"?',
        '"profil" is no rule; did you mean "profile"?',
      ],
    });
    expect(parsePolicy('profile=baseline,profile=restricted')).toEqual({
      faults: ['"profile" is there twice'],
    });
  });

  it('a rule that the profile lacks holds when it is named, and its refusal names no profile', () => {
    const job = jobWith({ hostPID: true, hostIPC: true });
    const [only, ...others] = breachesOf(
      job,
      parsed('profile=privileged,hostNamespaces:hostPID=deny'),
    );
    expect(others).toEqual([]);
    expect(only === undefined ? '' : breachWords(only)).toBe(
      `${pod}.hostPID: true shares it with the node; leave it out (policy hostNamespaces)`,
    );
    expect(breaches(withContainer({}), parsed('allowPrivilegeEscalation=warn'))).toEqual([
      `warn allowPrivilegeEscalation unset ${pod}.containers[0].securityContext.allowPrivilegeEscalation`,
    ]);
  });

  it('all faults are reported at once', () => {
    expect(
      parsePolicy('hostpath=allow,privileged,nodeName=maybe,hostPath=warn,hostPath=deny,=warn'),
    ).toEqual({
      faults: [
        '"hostpath" is no rule; did you mean "hostPath"?',
        '"privileged" is not of the form rule=action',
        '"maybe" is not one of deny, warn, allow',
        '"hostPath" is there twice',
        '"=warn" is not of the form rule=action',
      ],
    });
  });
});
