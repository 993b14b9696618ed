/** Submissions in a cluster with webhooks that exceed their user's rights or name another user. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { annotations } from '#shared/domain/labels.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import { newPair } from '#shared/runtime/testing/certificate-folder.ts';
import {
  registerFlowAdmission,
  type RegisteredAdmissions,
} from '#test/support/admission-webhooks.ts';
import { kubectlWith, type KubectlResult } from '#test/support/control-plane/kubectl.ts';
import { describeFlowsWith } from '#test/support/flow-suite.ts';
import { flow, type FlowWorld, jobTemplate, step } from '#test/support/flow-world.ts';
import type { Manifest } from '#test/support/flows/cluster-api.ts';
import { type AskedRight, untilAuthorized } from '#test/support/until-authorized.ts';

const controlPlane = 'node-role.kubernetes.io/control-plane';
/** A refusal is cached for 15 s, and the wait after it grows. */
const untilAskedAgainMs = 60_000;

describeFlowsWith({ policy: defaultPolicy }, 'attacks by who submits', (suite) => {
  let world: FlowWorld;
  let admissions: RegisteredAdmissions;

  /** Acts as a user who has only the rights that the tests grant. */
  const as = (user: string, args: readonly string[], manifest?: Manifest): Promise<KubectlResult> =>
    kubectlWith(suite.cluster.binaries.kubectl, suite.cluster.kubeconfig)(
      ['--namespace', world.namespace, '--as', user, ...args],
      manifest === undefined ? {} : { input: JSON.stringify(manifest) },
    );
  const createAs = (user: string, manifest: Manifest) => as(user, ['create', '-f', '-'], manifest);
  const untilMay = (user: string, right: AskedRight['right'], answer?: 'yes' | 'no') => {
    const { namespace } = world;
    return untilAuthorized(suite.cluster.kubectl, { user, namespace, right }, answer);
  };
  const grant = async (name: string, user: string, verbs: string, resource: string) => {
    await Promise.all([
      world.kubectl(['create', 'role', name, `--verb=${verbs}`, `--resource=${resource}`]),
      world.kubectl(['create', 'rolebinding', name, `--role=${name}`, `--user=${user}`]),
    ]);
    // One role has all of these rights, so one of them stands for the rest.
    const [[verb = ''], [first = '']] = [verbs.split(','), resource.split(',')];
    const [kind = '', subresource = ''] = first.split('/');
    await untilMay(user, [verb, kind, `--subresource=${subresource}`]);
  };
  const revoke = async (binding: string, user: string, right: AskedRight['right']) => {
    await world.kubectl(['delete', 'rolebinding', binding]);
    await untilMay(user, right, 'no');
  };
  const mayApply = (user: string) =>
    grant(
      `${user}-applies`,
      user,
      'get,create,update,patch',
      'jobflows.api.practice.com,jobtemplates.api.practice.com',
    );
  let adaIsGranted: Promise<unknown> | undefined;
  /** Lets `ada` apply, run and use every service account. */
  const grantAda = () =>
    (adaIsGranted ??= Promise.all([
      mayApply('ada'),
      mayRun('ada'),
      grant('ada-impersonates', 'ada', 'impersonate', 'serviceaccounts'),
      world.kubectl(['create', 'serviceaccount', 'deployer-of-ada']),
    ]));
  const mayRun = (user: string) => grant(`${user}-runs`, user, 'create', 'jobs.batch');
  const submitterOf = async (name: string, resource = 'mjf') => {
    const path = `jsonpath={.metadata.annotations.${annotations.submitter.replaceAll('.', '\\.')}}`;
    return JSON.parse(await world.kubectl(['get', resource, name, '-o', path])) as unknown;
  };

  beforeAll(async () => {
    world = await suite.world('submissions');
    admissions = await registerFlowAdmission({
      kubectl: kubectlWith(suite.cluster.binaries.kubectl, suite.cluster.kubeconfig),
      kubeconfig: suite.cluster.kubeconfigs['flow-admission'] ?? '',
      namespace: world.namespace,
    });
    await Promise.all(['ann', 'bob', 'carol'].map(mayApply));
    await Promise.all([mayRun('ann'), mayRun('carol')]);
  });
  afterAll(() => admissions.stop());

  it('#13 runs a Pod as no service account that its submitter may not impersonate', async () => {
    await world.kubectl(['create', 'serviceaccount', 'deployer']);
    const asDeployer = flow('as-deployer', [
      step('a', { pod: { serviceAccountName: 'deployer' } }),
    ]);
    const { stderr, code } = await createAs('ann', asDeployer);
    expect(code).toBe(1);
    expect(stderr).toContain('runs as the service account deployer, which ann may not impersonate');
    await grant('ann-impersonates', 'ann', 'impersonate', 'serviceaccounts');
    expect(await createAs('ann', asDeployer)).toMatchObject({ code: 0 });
  });

  it('#14 judges what is made of a template and a flow together, and a template that changes', async () => {
    const good = jobTemplate('approved');
    expect(await createAs('ann', good)).toMatchObject({ code: 0 });
    const shareVolumes = [{ name: 'etc', hostPath: { path: '/etc' } }];
    const merged = flow('merged', [step('a', { ref: 'approved' })], { shareVolumes });
    const { stderr } = await createAs('ann', merged);
    expect(stderr).toContain('step "a": template.spec.volumes[0].hostPath: /etc is a path of the');
    const image = { name: 'main', image: 'busybox:1.28' };
    const containers = [{ ...image, securityContext: { privileged: true } }];
    const spec = { jobTemplate: { template: { spec: { containers } } } };
    const change = ['patch', 'mjt', 'approved', '--type=merge', '-p', JSON.stringify({ spec })];
    expect((await as('ann', change)).stderr).toContain('(policy privileged, profile baseline)');
  });

  it.each<[string, Parameters<typeof step>[1]]>([
    ['nodeName', { pod: { nodeName: 'minikube' } }],
    ['tolerations', { pod: { tolerations: [{ operator: 'Exists' }] } }],
    ['controlPlane', { pod: { tolerations: [{ key: controlPlane, operator: 'Exists' }] } }],
    ['controlPlane', { pod: { nodeSelector: { [controlPlane]: '' } } }],
    ['priorityClass', { pod: { priorityClassName: 'system-cluster-critical' } }],
  ])('#15 lets no Pod go where only the cluster itself runs: %s, %j', async (rule, options) => {
    const { stderr, code } = await createAs('ann', flow('to-the-top', [step('a', options)]));
    expect(code).toBe(1);
    expect(stderr).toContain(`(policy ${rule})`);
  });

  it.each<[string, Parameters<typeof step>[1]]>([
    ['schedulerName', { pod: { schedulerName: 'mine' } }],
    ['managedBy', { job: { managedBy: 'example.com/mine' } }],
    ['finalizers', { podMetadata: { finalizers: ['example.com/stay'] } }],
  ])('#16 leaves no Job and no Pod to another user: %s', async (rule, options) => {
    const { stderr, code } = await createAs('ann', flow('elsewhere', [step('a', options)]));
    expect(code).toBe(1);
    expect(stderr).toContain(`(policy ${rule})`);
  });

  const main = { name: 'main', image: 'busybox:1.28' };
  const inMain = (fields: object) => ({ pod: { containers: [{ ...main, ...fields }] } });
  const unconfined = { type: 'Unconfined' };
  const initContainers = [
    { ...main, name: 'init', securityContext: { seccompProfile: unconfined } },
  ];
  const sysctls = [{ name: 'kernel.msgmax', value: '65536' }];
  const metadata = { tcpSocket: { port: 80, host: '169.254.169.254' } };
  const volumes = [{ name: 'v', gitRepo: { repository: 'https://example.com/x' } }];

  it.each<[string, Parameters<typeof step>[1], object]>([
    ['seccompProfile', { pod: { securityContext: { seccompProfile: unconfined } } }, {}],
    ['seccompProfile', { pod: { initContainers } }, {}],
    ['appArmorProfile', inMain({ securityContext: { appArmorProfile: unconfined } }), {}],
    [
      'appArmorProfile',
      {},
      {
        globalParams: {
          annotations: { 'container.apparmor.security.beta.kubernetes.io/main': 'unconfined' },
        },
      },
    ],
    ['seLinuxOptions', inMain({ securityContext: { seLinuxOptions: { type: 'spc_t' } } }), {}],
    ['sysctls', { pod: { securityContext: { sysctls } } }, {}],
    ['probeHosts', inMain({ startupProbe: metadata }), {}],
    ['gitRepo', {}, { shareVolumes: volumes }],
  ])(
    '#63 confines each Pod, by any way that adds the field: %s, %j',
    async (rule, options, spec) => {
      const submitted = flow('unconfined', [step('a', options)], spec);
      const { stderr, code } = await createAs('ann', submitted);
      expect(code).toBe(1);
      expect(stderr).toContain(`(policy ${rule}, profile baseline)`);
    },
  );

  it('#20 takes no flow of who may not create Jobs', async () => {
    const { stderr, code } = await createAs('bob', flow('of-bob', [step('a')]));
    expect(code).toBe(1);
    expect(stderr).toContain(
      `bob may not create jobs.batch in the namespace ${world.namespace}, and a JobFlow runs Jobs there`,
    );
  });

  it(
    '#20 creates no Job for who lost the right, says so, and goes on when it is back',
    { timeout: 2 * untilAskedAgainMs },
    async () => {
      const spec = { suspend: true };
      expect(await createAs('carol', flow('of-carol', [step('a')], spec))).toMatchObject({
        code: 0,
      });
      await world.untilState('of-carol', 'Suspended');
      await revoke('carol-runs', 'carol', ['create', 'jobs.batch']);
      await world.patchFlow('of-carol', { spec: { suspend: false } });
      const { reason, message } = await world.untilStep('of-carol', 'a', 'Blocked');
      expect(reason).toBe('Forbidden');
      expect(message).toContain(
        `carol, who submitted this, may not create jobs.batch in the namespace ${world.namespace}`,
      );
      const conditions = world.flow('of-carol')?.status?.conditions;
      const blocked = conditions?.find(({ type }) => type === 'Blocked');
      expect(blocked).toMatchObject({ status: 'True', reason: 'Forbidden' });
      await expect
        .poll(async () => (await world.events()).map((event) => `${event.reason} ${event.message}`))
        .toContainEqual(
          expect.stringMatching(/^Forbidden step a: carol, who submitted this, may not/),
        );
      expect(await world.namesEverCreated()).not.toContain('of-carol-a');
      await world.kubectl([
        ...['create', 'rolebinding', 'carol-runs'],
        ...['--role=carol-runs', '--user=carol'],
      ]);
      await world.untilState('of-carol', 'Succeed', untilAskedAgainMs);
    },
  );

  it('#20 creates no Job under a service account that its submitter may not impersonate any more', async () => {
    const pod = { serviceAccountName: 'default-of-dora' };
    await world.kubectl(['create', 'serviceaccount', pod.serviceAccountName]);
    await Promise.all([mayApply('dora'), mayRun('dora')]);
    await grant('dora-impersonates', 'dora', 'impersonate', 'serviceaccounts');
    const spec = { suspend: true };
    const submitted = flow('of-dora', [step('a'), step('b', { pod })], spec);
    expect(await createAs('dora', submitted)).toMatchObject({ code: 0 });
    await world.untilState('of-dora', 'Suspended');
    const account = `serviceaccounts/${pod.serviceAccountName}`;
    await revoke('dora-impersonates', 'dora', ['impersonate', account]);
    await world.patchFlow('of-dora', { spec: { suspend: false } });
    const { reason, message } = await world.untilStep('of-dora', 'b', 'Blocked');
    expect(reason).toBe('Forbidden');
    expect(message).toContain(
      `dora, who submitted this, may not impersonate the service account default-of-dora in the namespace ${world.namespace}`,
    );
    expect(world.condition('of-dora', 'Blocked')).toMatchObject({
      status: 'True',
      reason: 'Forbidden',
    });
    await expect
      .poll(async () => (await world.events()).map((event) => `${event.reason} ${event.message}`))
      .toContainEqual(
        expect.stringMatching(/^Forbidden step b: dora, who submitted this, may not impersonate/),
      );
    await world.untilStep('of-dora', 'a', 'Succeed');
    expect(await world.namesEverCreated()).not.toContain('of-dora-b');
  });

  it('#21 records who asks, whatever is written, and lets no user change it', async () => {
    const admin = '{"username":"system:admin","groups":["system:masters"]}';
    const plain = flow('forged', [step('a')], { suspend: true });
    const metadata = { ...plain.metadata, annotations: { [annotations.submitter]: admin } };
    const { stderr, code } = await createAs('ann', { ...plain, metadata });
    expect(code).toBe(0);
    expect(stderr).toContain('names the submitter; Millrace replaces your value');
    expect(await submitterOf('forged')).toMatchObject({ username: 'ann' });
    const edit = ['annotate', 'mjf', 'forged', '--overwrite', `${annotations.submitter}=${admin}`];
    const refusal =
      'metadata.annotations: millrace.dev/submitter names the submitter and is written by Millrace';
    expect((await as('ann', edit)).stderr).toContain(refusal);
    await expect(world.kubectl(edit)).rejects.toThrow(refusal);
    const removal = ['patch', 'mjf', 'forged', '--type=json', '-p'];
    const path = `/metadata/annotations/${annotations.submitter.replace('/', '~1')}`;
    await as('ann', [...removal, JSON.stringify([{ op: 'remove', path }])]);
    expect(await submitterOf('forged')).toMatchObject({ username: 'ann' });
  });

  const accountOf = (index: number) => ({ pod: { serviceAccountName: `account-${index}` } });
  /** As `ada`, who may use every service account of the namespace. */
  const createAsAda = async (manifest: Manifest) =>
    expect(await createAs('ada', manifest)).toMatchObject({ code: 0 });

  it.each([21, 201])('#57 judges each of %i JobTemplates, or refuses the flow', async (count) => {
    await grantAda();
    const last = `use-${count}-${count - 1}`;
    await createAsAda(jobTemplate(last, { pod: { serviceAccountName: 'deployer-of-ada' } }));
    const steps = Array.from({ length: count }, (_, i) =>
      step(`s${i}`, { ref: `use-${count}-${i}` }),
    );
    const { stderr, code } = await createAs('carol', flow(`of-${count}`, steps));
    expect(code).toBe(1);
    expect(stderr).toContain(
      count === 21
        ? 'step "s20": template.spec.serviceAccountName: the Pod runs as the service account deployer-of-ada, which carol may not impersonate'
        : 'steps refer to 201 different JobTemplates, and at most 200 are judged for one flow',
    );
  });

  it.each([21, 101])('#58 asks for each of %i service accounts, or refuses', async (count) => {
    const names = Array.from({ length: count - 1 }, (_, i) => `--resource-name=account-${i}`);
    await world.kubectl([
      ...['create', 'role', `most-of-${count}`, '--verb=impersonate', '--resource=serviceaccounts'],
      ...names,
    ]);
    const binding = [`--role=most-of-${count}`, '--user=carol'];
    await world.kubectl(['create', 'rolebinding', `most-of-${count}`, ...binding]);
    await untilMay('carol', ['impersonate', `serviceaccounts/account-${count - 2}`]);
    const steps = Array.from({ length: count }, (_, i) => step(`s${i}`, accountOf(i)));
    const { stderr, code } = await createAs('carol', flow(`accounts-${count}`, steps));
    expect(code).toBe(1);
    expect(stderr).toContain(`the Pod runs as the service account account-${count - 1}, `);
    expect(stderr).toContain(
      count === 21
        ? 'which carol may not impersonate'
        : 'at most 100 service accounts of one object',
    );
  });

  it('#59 creates no Job from a JobTemplate whose last editor may not create it', async () => {
    await Promise.all([mayApply('erin'), mayRun('erin')]);
    expect(await createAs('erin', jobTemplate('of-erin'))).toMatchObject({ code: 0 });
    const submitted = flow('by-template', [step('a', { ref: 'of-erin' }), step('own')], {
      suspend: true,
    });
    expect(await createAs('ann', submitted)).toMatchObject({ code: 0 });
    await world.untilState('by-template', 'Suspended');
    await revoke('erin-runs', 'erin', ['create', 'jobs.batch']);
    await world.patchFlow('by-template', { spec: { suspend: false } });
    const { reason, message } = await world.untilStep('by-template', 'a', 'Blocked');
    expect(reason).toBe('Forbidden');
    expect(message).toContain(
      `erin, who last changed the JobTemplate "of-erin", may not create jobs.batch in the namespace ${world.namespace}`,
    );
    await world.untilStep('by-template', 'own', 'Succeed');
    expect(await world.namesEverCreated()).not.toContain('by-template-a');
    const [pin] = world.flow('by-template')?.status?.pinnedTemplates ?? [];
    expect(JSON.parse(pin?.submitter ?? '{}')).toMatchObject({ username: 'erin' });
  });

  it('#59 makes the user who edits a JobTemplate of another user answer for it', async () => {
    await grantAda();
    const pod = { serviceAccountName: 'deployer-of-ada' };
    await createAsAda(jobTemplate('of-ada', { pod }));
    const patch = JSON.stringify({ spec: { jobTemplate: { activeDeadlineSeconds: 600 } } });
    const edit = await as('carol', ['patch', 'mjt', 'of-ada', '--type=merge', '-p', patch]);
    expect(edit.code).toBe(1);
    expect(edit.stderr).toContain('which carol may not impersonate');
    await createAsAda(jobTemplate('plain-of-ada'));
    const args = ['patch', 'mjt', 'plain-of-ada', '--type=merge', '-p', patch];
    expect(await as('carol', args)).toMatchObject({ code: 0 });
    expect(await submitterOf('plain-of-ada', 'mjt')).toMatchObject({ username: 'carol' });
  });

  it('#60 takes the user who changes a flow for its submitter, with the rights of that user', async () => {
    await grantAda();
    const pod = { serviceAccountName: 'deployer-of-ada' };
    await createAsAda(flow('changed', [step('a', { pod }), step('b')], { suspend: true }));
    const change = (spec: object) =>
      as('carol', ['patch', 'mjf', 'changed', '--type=merge', '-p', JSON.stringify({ spec })]);
    const image = { flows: [step('a', { pod }), step('c')] };
    expect((await change(image)).stderr).toContain('which carol may not impersonate');
    expect(await submitterOf('changed')).toMatchObject({ username: 'ada' });
    expect(await change({ flows: [step('c')] })).toMatchObject({ code: 0 });
    expect(await submitterOf('changed')).toMatchObject({ username: 'carol' });
    await as('ada', ['label', 'mjf', 'changed', 'note=x']);
    expect(await submitterOf('changed')).toMatchObject({ username: 'carol' });
  });

  it('#61 runs no pinned template that another user wrote into the status', async () => {
    const bound = ['get,patch', 'jobflows.api.practice.com/status'] as const;
    await grant('mallory-patches', 'mallory', ...bound);
    await grant('mallory-reads', 'mallory', 'get', 'jobflows.api.practice.com');
    const honest = jobTemplate('honest');
    expect(await createAs('ann', honest)).toMatchObject({ code: 0 });
    const submitted = flow('pinned', [step('a', { ref: 'honest' })], { suspend: true });
    expect(await createAs('ann', submitted)).toMatchObject({ code: 0 });
    await world.untilState('pinned', 'Suspended');
    const spec = honest.spec as { readonly jobTemplate: object };
    const forged = { ...spec.jobTemplate, activeDeadlineSeconds: 4321 };
    const uid = await world.kubectl(['get', 'mjt', 'honest', '-o', 'jsonpath={.metadata.uid}']);
    const pin = { name: 'honest', uid, generation: 1, hash: 'forged', jobTemplate: forged };
    const seal = 'A'.repeat(43);
    const status = { pinnedTemplates: [{ ...pin, seal, submitter: '{"username":"ann"}' }] };
    const patch = ['patch', 'mjf', 'pinned', '--subresource=status', '--type=merge', '-p'];
    expect(await as('mallory', [...patch, JSON.stringify({ status })])).toMatchObject({ code: 0 });
    await world.patchFlow('pinned', { spec: { suspend: false } });
    await world.untilState('pinned', 'Succeed');
    const deadline = 'jsonpath={.items[*].spec.activeDeadlineSeconds}';
    expect(await world.kubectl(['get', 'jobs', '-o', deadline])).not.toContain('4321');
    expect(await world.namesEverCreated()).toContain('pinned-a');
    await expect
      .poll(async () => (await world.events()).map(({ reason }) => reason))
      .toContain('PinReplaced');
  });

  it('#46 refuses under a certificate that is not trusted, and takes a new one without a restart', async () => {
    const next = newPair();
    await admissions.trust(next.cert);
    const created = () =>
      world.kubectl(['create', '-f', '-'], JSON.stringify(flow('late', [step('a')])));
    await expect
      .poll(() => created().then(String, String))
      .toContain('failed calling webhook "flow-validation.millrace.dev"');
    await admissions.served.folder.swap(next);
    await admissions.served.certificate.reread();
    expect(await created()).toContain('late created');
  });
});
