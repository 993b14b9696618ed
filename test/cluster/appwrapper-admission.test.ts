/**
 * kubectl's output for AppWrappers with the webhooks of appwrapper-admission on: the cases of the original controller's
 * suite (internal/webhook/appwrapper_webhook_test.go).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultWrapperSettings } from '#functions/appwrapper-admission/wrapper-settings.ts';
import {
  deployment,
  inDeployment,
  inJobSet,
  job,
  jobSet,
  pod,
  pytorchJob,
  rayCluster,
  rayJob,
  service,
  wrapper,
  wrongPaths,
} from '#functions/appwrapper-admission/testing/wrappers.ts';
import { readCrds } from '#functions/millrace/commands/crds.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { RegisteredAdmissions } from '#test/support/admission-webhooks.ts';
import { kubectlOrThrow, kubectlWith, type Kubectl } from '#test/support/control-plane/kubectl.ts';
import { startListeningSandbox, type ListeningSandbox } from '#test/support/listening-sandbox.ts';
import { describeWithCluster } from '#test/support/require.ts';
import { registerWrapperAdmission } from '#test/support/wrapper-webhooks.ts';

const namespace = 'wrappers';
const queue = 'kueue.x-k8s.io/queue-name';
const user = 'workload.codeflare.dev/user';
const userId = 'workload.codeflare.dev/userid';
const limited = ['--as', 'limited', '--as-uid', 'u-limited'];

/** The user may create AppWrappers and Pods, and read Deployments. */
const rights: readonly JsonObject[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'limited' },
    rules: [
      { apiGroups: ['workload.codeflare.dev'], resources: ['appwrappers'], verbs: ['create'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['create'] },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'] },
    ],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'limited' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'limited' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'limited' }],
  },
];

describeWithCluster('appwrapper-admission', (cluster) => {
  describe.each(['the API server', 'the sandbox'])('asked by %s', (server) => {
    let sandbox: ListeningSandbox | undefined;
    let kubectl: Kubectl;
    let admissions: RegisteredAdmissions;
    const within = (args: readonly string[], input?: unknown) =>
      kubectl(
        ['-n', namespace, ...args],
        input === undefined ? {} : { input: JSON.stringify(input) },
      );

    beforeAll(async () => {
      if (server === 'the sandbox') sandbox = await startListeningSandbox();
      const kubeconfig = sandbox?.kubeconfig ?? cluster.kubeconfig;
      kubectl = kubectlWith(cluster.binaries.kubectl, kubeconfig);
      if (sandbox !== undefined) {
        await kubectlOrThrow(kubectl, ['apply', '-f', '-'], { input: await readCrds() });
      }
      await kubectlOrThrow(kubectl, ['create', 'namespace', namespace]);
      if (sandbox === undefined) {
        for (const right of rights) {
          const input = JSON.stringify(right);
          await kubectlOrThrow(kubectl, ['-n', namespace, 'create', '-f', '-'], { input });
        }
      }
      admissions = await registerWrapperAdmission({
        ...{ kubectl, namespace },
        kubeconfig: sandbox?.kubeconfig ?? cluster.kubeconfigs['appwrapper-admission'] ?? '',
        wrappers: { ...defaultWrapperSettings, defaultQueue: 'system-default-queue' },
      });
    });
    afterAll(async () => {
      await admissions.stop();
      await kubectlOrThrow(kubectl, ['delete', 'namespace', namespace, '--wait=false']);
      await sandbox?.stop();
    });

    const tried = async (object: JsonObject, args: readonly string[] = []) => {
      const create = ['create', '--dry-run=server', '-o', 'json', '-f', '-', ...args];
      const { stdout, stderr, code } = await within(create, object);
      return { code, stderr, object: code === 0 ? (JSON.parse(stdout) as JsonObject) : {} };
    };
    const accepted = async (...components: readonly JsonObject[]) => {
      const { stderr, code } = await tried(wrapper(components));
      // Some of the kinds are not served here.
      const lines = stderr.split('\n').filter((line) => !line.includes('the cluster serves no'));
      expect({ code, lines: lines.join('') }).toEqual({ code: 0, lines: '' });
    };
    const refused = async (object: JsonObject, words: string, args: readonly string[] = []) => {
      const { stderr } = await tried(object, args);
      const by = 'admission webhook "appwrapper-validation.millrace.dev" denied the request: ';
      expect(stderr).toContain(by);
      expect(stderr).toContain(words);
    };

    it('an AppWrapper waits in the default queue, unless it names its own', async () => {
      const labelled = async (labels: JsonObject) =>
        (await tried(wrapper([pod()], { labels }))).object['metadata'];
      expect(await labelled({})).toMatchObject({ labels: { [queue]: 'system-default-queue' } });
      expect(await labelled({ [queue]: 'own' })).toMatchObject({ labels: { [queue]: 'own' } });
    });

    it('the user who creates it is written over what the author writes', async () => {
      const labels = { [user]: 'bad', [userId]: 'bad' };
      const { object } = await tried(wrapper([pod()], { labels }), limited);
      // All requests have the same user there.
      const written =
        sandbox === undefined
          ? { [user]: 'limited', [userId]: 'u-limited' }
          : { [user]: 'millrace-sandbox' };
      expect(object['metadata']).toMatchObject({ labels: written });
    });

    it('it has from one to eight podSets', async () => {
      const none = 'components contains no podspecs';
      await refused(wrapper([]), none);
      await refused(wrapper([service()]), none);
      const nine = Array.from({ length: 9 }, () => pod());
      await refused(wrapper(nine), 'components contains 9 podspecs; at most 8 are allowed');
    });

    it.each([
      ['a missing field', 'template.spec.missing', "missing field 'missing'"],
      ['nothing', '', 'podspec must specify path'],
      ['metadata', 'template.spec.template.metadata', 'does not contain a spec'],
    ])('%s is no path of a podSet', async (_, path, words) => {
      await refused(wrapper([deployment(4, { podSets: [{ path, replicas: 4 }] })]), words);
    });

    it.each(wrongPaths)('%s is no path of a podSet', async (path, words) => {
      const podSets = [
        { path, replicas: 2 },
        { path: inJobSet(1), replicas: 2 },
      ];
      await refused(wrapper([jobSet({ podSets })]), words);
    });

    it('nothing of other namespaces and no AppWrapper is wrapped', async () => {
      const elsewhere = pod({ metadata: { namespace: 'test' } });
      await refused(wrapper([elsewhere]), 'AppWrappers cannot create objects in other namespaces');
      const nested = { template: wrapper([pod()]) };
      await refused(wrapper([pod(), nested]), 'Nested AppWrappers are forbidden');
    });

    describe('of a stored AppWrapper', () => {
      const name = 'stored';
      const podSets = [{ path: inDeployment, replicas: 4 }];
      const stored = wrapper([pod(), deployment(4, { podSets })], { name });
      beforeAll(async () => {
        const input = JSON.stringify(stored);
        await kubectlOrThrow(kubectl, ['-n', namespace, 'create', '-f', '-'], { input });
      });
      const patched = async (patch: unknown, args: readonly string[] = []) => {
        const type = Array.isArray(patch) ? 'json' : 'merge';
        const change = ['patch', 'appwrapper', name, `--type=${type}`, '-p', JSON.stringify(patch)];
        return within([...change, ...args]);
      };
      const second = '/spec/components/1';
      const add = (path: string, value: unknown) => [{ op: 'add', path, value }];

      it.each([user, userId])('the label %s cannot be changed', async (label) => {
        const { stderr } = await patched({ metadata: { labels: { [label]: 'bad' } } });
        expect(stderr).toContain(
          `metadata.labels[${label}]: Forbidden: attempt to change immutable`,
        );
      });

      it('the labels stay when another user changes something else', async () => {
        const before = await within(['get', 'aw', name, '-o', 'jsonpath={.metadata.labels}']);
        const { code } = await patched({ metadata: { annotations: { a: 'b' } } });
        expect(code).toBe(0);
        const after = await within(['get', 'aw', name, '-o', 'jsonpath={.metadata.labels}']);
        expect(after.stdout).toBe(before.stdout);
      });

      it.each([
        ['suspend', add('/spec/suspend', true)],
        ['podSetInfos', add(`${second}/podSetInfos`, [{}])],
      ])('%s can be changed', async (_, patch) => {
        const { stderr, code } = await patched(patch);
        expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
      });

      it.each([
        [
          'a template',
          'spec.components[0].template',
          add('/spec/components/0/template', deployment(4)['template']),
        ],
        ['the number of components', 'spec.components', add('/spec/components/2', pod())],
        [
          'the number of podSets',
          'spec.components[1].podSets',
          add(`${second}/podSets/1`, podSets[0]),
        ],
        ['a path', 'spec.components[1].podSets[0].path', add(`${second}/podSets/0/path`, 'bad')],
        [
          'replicas',
          'spec.components[1].podSets[0].replicas',
          add(`${second}/podSets/0/replicas`, 12),
        ],
      ])('%s cannot be changed', async (_, path, patch) => {
        const { stderr } = await patched(patch);
        expect(stderr).toContain(`${path}: Forbidden: attempt to change immutable field`);
      });
    });

    it('a manifest that is applied again leaves the placement of Kueue as it is', async () => {
      const manifest = wrapper([pod()], { name: 'placed', labels: { [queue]: 'main' } });
      const applied = () =>
        kubectlOrThrow(kubectl, ['-n', namespace, 'apply', '-f', '-'], {
          input: JSON.stringify(manifest),
        });
      const patched = (args: readonly string[]) =>
        within([
          'patch',
          'aw',
          'placed',
          ...args,
          '-o',
          'jsonpath={.spec.components[0].podSetInfos}',
        ]);
      await applied();
      const at = '/spec/components/0/podSetInfos';
      const info = [{ nodeSelector: { pool: 'spot' } }];
      const place = [{ op: 'add', path: at, value: info }];
      await patched(['--type=json', '-p', JSON.stringify(place)]);
      await applied();
      const unchanged = await patched([
        '--type=merge',
        '-p',
        '{"metadata":{"annotations":{"a":"b"}}}',
      ]);
      expect(JSON.parse(unchanged.stdout)).toEqual(info);
      const suspend = [
        { op: 'remove', path: at },
        { op: 'add', path: '/spec/suspend', value: true },
      ];
      expect((await patched(['--type=json', '-p', JSON.stringify(suspend)])).stdout).toBe('');
    });

    it('a user who may create Pods wraps one', async () => {
      const { code, stderr } = await tried(wrapper([pod()]), limited);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    });

    it.skipIf(server === 'the sandbox')(
      'a user who may not create Deployments wraps none',
      async () => {
        const words = `spec.components[0].template: Forbidden: User limited is not authorized to create deployments in ${namespace}`;
        await refused(wrapper([deployment(4)]), words, limited);
      },
    );

    it('podSets may be declared, and are inferred', async () => {
      const podSets = [{ path: inDeployment, replicas: 1 }];
      const inNamespace = pod({ metadata: { namespace } });
      await accepted(pod(), deployment(1, { podSets }), inNamespace, rayCluster(), jobSet());
      const jobs = [
        job({ parallelism: 2, completions: 4 }),
        job({ parallelism: 8, completions: 4 }),
      ];
      await accepted(pod(), deployment(1), pod(), ...jobs);
      await accepted(pytorchJob(), rayCluster(), rayJob());
    });
  });
});
