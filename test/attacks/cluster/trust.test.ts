/**
 * A user who may write Millrace's objects but no Jobs (ClusterRole millrace:edit), in namespaces where no webhook
 * answers in time.
 */
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { commandLine, type CommandLine, type CommandRun } from '#functions/millrace/testing/cli.ts';
import type { ReviewUser } from '#shared/domain/admission-decision.ts';
import { annotations } from '#shared/domain/labels.ts';
import { submitterText } from '#shared/domain/submitter.ts';
import { registerFlowAdmission } from '#test/support/admission-webhooks.ts';
import { kubectlOrThrow, kubectlWith } from '#test/support/control-plane/kubectl.ts';
import { describeFlowsWith } from '#test/support/flow-suite.ts';
import { flow, type FlowWorld, step } from '#test/support/flow-world.ts';
import type { Manifest } from '#test/support/flows/cluster-api.ts';
import { untilAuthorized } from '#test/support/until-authorized.ts';

const user = 'mallory';
const admin = '{"username":"system:admin","groups":["system:masters"]}';
const patience = { timeout: 45_000 };

const container = { name: 'main', image: 'busybox:1.28' };
const daemonJob: Manifest = {
  apiVersion: 'api.practice.com/v1alpha1',
  kind: 'DaemonJob',
  metadata: { name: 'everywhere' },
  spec: { template: { spec: { containers: [container] } } },
};
const forged = (manifest: Manifest): Manifest => ({
  ...manifest,
  metadata: { ...manifest.metadata, annotations: { [annotations.submitter]: admin } },
});

describeFlowsWith({ requiresSubmitters: true }, 'attacks past the webhooks', (suite) => {
  let world: FlowWorld;

  const kubectl = (args: readonly string[], manifest?: Manifest) =>
    kubectlWith(suite.cluster.binaries.kubectl, suite.cluster.kubeconfig)(
      args,
      manifest === undefined ? {} : { input: JSON.stringify(manifest) },
    );
  const createIn = (namespace: string, manifest: Manifest) =>
    kubectl(['-n', namespace, '--as', user, 'create', '-f', '-'], manifest);
  const mayEdit = async (namespace: string): Promise<void> => {
    for (const role of ['view', 'edit']) {
      await kubectlOrThrow(suite.cluster.kubectl, [
        ...['-n', namespace, 'create', 'rolebinding', `${user}-${role}`],
        ...[`--clusterrole=millrace:${role}`, `--user=${user}`],
      ]);
    }
    const right = ['create', 'jobflows.api.practice.com'] as const;
    await untilAuthorized(suite.cluster.kubectl, { user, namespace, right });
  };

  beforeAll(async () => {
    const roles = join(import.meta.dirname, '../../../deploy/rbac/users.yaml');
    await kubectlOrThrow(suite.cluster.kubectl, ['apply', '--server-side', '-f', roles]);
    world = await suite.world('trust');
    await mayEdit(world.namespace);
  });

  it('#54 creates no Job of what no webhook has seen, says so once, and goes on when a user is recorded', async () => {
    const roots = [step('a'), step('b'), step('c')];
    expect(await createIn(world.namespace, flow('unseen', roots))).toMatchObject({ code: 0 });
    expect(await createIn(world.namespace, daemonJob)).toMatchObject({ code: 0 });
    const { message } = await world.untilCondition('unseen', 'Blocked', 'SubmitterUnknown');
    expect(message).toContain('delete the object and create it again while the webhooks');
    await world.untilDaemonJob(
      'everywhere',
      'is Blocked',
      ({ status }) =>
        status?.conditions?.some(
          ({ type, reason }) => type === 'Blocked' && reason === 'SubmitterUnknown',
        ) === true,
    );
    const reasons = async () =>
      (await world.events()).map((event) => event.reason).filter((each) => each !== undefined);
    await expect
      .poll(reasons, patience)
      .toEqual(expect.arrayContaining(['SubmitterUnknown', 'SubmitterUnknown']));
    expect((await reasons()).filter((reason) => reason === 'SubmitterUnknown')).toHaveLength(2);
    expect(await world.namesEverCreated()).toEqual([]);

    const admissions = await registerFlowAdmission({
      kubectl: suite.cluster.kubectl,
      kubeconfig: suite.cluster.kubeconfigs['flow-admission'] ?? '',
      namespace: world.namespace,
    });
    try {
      const spec = { flows: [step('d')] };
      const change = ['patch', 'mjf', 'unseen', '--type=merge', '-p', JSON.stringify({ spec })];
      const refused = await kubectl(['-n', world.namespace, '--as', user, ...change]);
      expect(refused.stderr).toContain(`${user} may not create jobs.batch`);
      await world.kubectl(change);
      await world.untilState('unseen', 'Succeed');
    } finally {
      await admissions.stop();
    }
  });

  it.each([flow('forged', [step('a')]), daemonJob])(
    '#54 stores no $kind that names another user as its submitter, also without webhooks',
    async (manifest) => {
      const { stderr, code } = await createIn(world.namespace, forged(manifest));
      expect(code).toBe(1);
      expect(stderr).toContain('is written by Millrace; leave it out');
    },
  );

  describe('#54 a submitter with what an authenticator adds', () => {
    const scopes = ['read', 'a "b"\\c'];
    const extra = { 'example.com/tenant': ['x'], scopes };
    const named = (own: ReviewUser['extra'], more: Partial<ReviewUser> = {}): string =>
      submitterText({ username: user, groups: ['system:authenticated'], extra: own, ...more });
    const createNamed = async (text: string) => {
      const manifest = flow('extra', [step('a')]);
      const metadata = { ...manifest.metadata, annotations: { [annotations.submitter]: text } };
      const flags = Object.entries(extra).flatMap(([key, values]) =>
        values.map((value) => `--as-user-extra=${key}=${value}`),
      );
      return kubectl(
        ['-n', world.namespace, '--as', user, ...flags, 'create', '--dry-run=server', '-f', '-'],
        { ...manifest, metadata },
      );
    };

    it('is stored where it is the user of the request as a whole', async () => {
      // The API server may still ask webhooks that an earlier test has removed.
      await vi.waitFor(async () => {
        expect(await createNamed(named(extra))).toMatchObject({ code: 0 });
      }, patience);
    });

    it.each([
      ['without it', named({})],
      ['with one entry less', named({ scopes })],
      ['with one entry more', named({ ...extra, zone: ['z'] })],
      ['with another value of the same length', named({ ...extra, 'example.com/tenant': ['y'] })],
      ['with the values in another order', named({ ...extra, scopes: scopes.toReversed() })],
      ['with an entry under two keys', named({ scopes, tenant: ['x'], 'example.com/': [''] })],
      ['with a value less', named({ ...extra, scopes: ['read'] })],
      ['with another name', named(extra, { username: 'system:admin' })],
      ['with another group', named(extra, { groups: ['system:masters'] })],
    ])('is refused %s', async (_, text) => {
      const { stderr, code } = await createNamed(text);
      expect(stderr).toContain('is written by Millrace; leave it out');
      expect(code).toBe(1);
    });
  });

  it('#54 lets no user be named afterwards, either', async () => {
    // The API server may still ask webhooks that an earlier test has removed.
    await vi.waitFor(async () => {
      expect(await createIn(world.namespace, flow('renamed', [step('a')]))).toMatchObject({
        code: 0,
      });
    }, patience);
    const { stderr } = await kubectl([
      ...['-n', world.namespace, '--as', user, 'annotate', 'mjf', 'renamed'],
      `${annotations.submitter}=${admin}`,
    ]);
    expect(stderr).toContain('is written by Millrace; leave it out');
    await world.untilCondition('renamed', 'Blocked', 'SubmitterUnknown');
  });

  it('#56 creates no Job in kube-system, and says so', async () => {
    const namespace = 'kube-system';
    await mayEdit(namespace);
    try {
      const pod = { serviceAccountName: 'clusterrole-aggregation-controller' };
      const manifest = flow('attack-56', [step('a', { pod })]);
      expect(await createIn(namespace, manifest)).toMatchObject({ code: 0 });
      const get = ['-n', namespace, 'get', 'mjf', 'attack-56', '-o', 'json'];
      await vi.waitFor(async () => {
        const found = JSON.parse(await kubectlOrThrow(suite.cluster.kubectl, get)) as {
          readonly status?: { readonly conditions?: readonly unknown[] };
        };
        expect(found.status?.conditions).toContainEqual(
          expect.objectContaining({ type: 'Blocked', status: 'True', reason: 'ExemptNamespace' }),
        );
      }, patience);
      const jobs = ['-n', namespace, 'get', 'jobs', '-o', 'name'];
      expect(await kubectlOrThrow(suite.cluster.kubectl, jobs)).not.toContain('attack-56');
    } finally {
      const remove = ['delete', '--wait=false', '-n', namespace];
      await kubectl([...remove, 'mjf', 'attack-56']);
      await kubectl([...remove, 'rolebinding', `${user}-view`, `${user}-edit`]);
    }
  });

  describeRun();

  function describeRun(): void {
    let cli: CommandLine;
    let run: CommandRun;
    let served: FlowWorld;

    beforeAll(async () => {
      cli = await commandLine();
      served = await suite.world('trust-run');
      await mayEdit(served.namespace);
      run = cli.start([
        ...['run', '--kubeconfig', suite.cluster.kubeconfig, '--redis', suite.redis().url],
        ...['--port', '0', '--namespace', served.namespace, '--log-format', 'json'],
      ]);
      await run.said(/flows are being served/);
      await vi.waitFor(async () => {
        const { stderr } = await createIn(served.namespace, flow('probe', [step('a')]));
        expect(stderr).toContain(`${user} may not create jobs.batch`);
      }, patience);
    });
    afterAll(async () => {
      run.child.kill('SIGCONT');
      run.child.kill('SIGTERM');
      await run.exited;
      await cli[Symbol.asyncDispose]();
    });

    /** The URL at which the API server requests reviews of this namespace. */
    const webhook = async (): Promise<URL> => {
      const args = ['get', 'validatingwebhookconfigurations', '-o', 'json'];
      const { items } = JSON.parse(await kubectlOrThrow(suite.cluster.kubectl, args)) as {
        readonly items: readonly {
          readonly webhooks: readonly { readonly clientConfig: { readonly url?: string } }[];
        }[];
      };
      const own = items.find((item) => JSON.stringify(item).includes(served.namespace));
      return new URL(own?.webhooks[0]?.clientConfig.url ?? '');
    };

    it('#55 refuses in time under a flood of forged reviews, which learn nothing', async () => {
      const { origin } = await webhook();
      const dispatcher = new Agent({ connections: 48, connect: { rejectUnauthorized: false } });
      const body = JSON.stringify({
        apiVersion: 'admission.k8s.io/v1',
        request: 'x'.repeat(500_000),
      });
      const answers = new Set<number>();
      const texts = new Set<string>();
      let isOver = false;
      const flood = Array.from({ length: 48 }, async (_, at) => {
        const path = at % 2 === 0 ? `/${'0'.repeat(64)}/flow-validation` : '/flow-validation';
        while (!isOver) {
          try {
            const headers = { 'content-type': 'application/json' };
            const answer = await request(origin + path, {
              ...{ method: 'POST', dispatcher, headers, body },
            });
            answers.add(answer.statusCode);
            texts.add(await answer.body.text());
          } catch {
            // The connection ended before everything was sent.
          }
        }
      });
      try {
        for (let attempt = 0; attempt < 10; attempt += 1) {
          const { stderr } = await createIn(
            served.namespace,
            flow(`flood-${attempt}`, [step('a')]),
          );
          expect(stderr).toContain(`${user} may not create jobs.batch`);
        }
      } finally {
        isOver = true;
        await Promise.all(flood);
        await dispatcher.destroy();
      }
      expect(answers.size).toBeGreaterThan(0);
      expect([...answers].filter((status) => status < 400)).toEqual([]);
      expect([...texts].join()).not.toContain('"response"');
      expect(await served.namesEverCreated()).toEqual([]);
    });

    it('#55 stores nothing while the process of the webhooks is stopped', async () => {
      run.child.kill('SIGSTOP');
      try {
        for (const manifest of [flow('frozen', [step('a')]), daemonJob]) {
          const { stderr, code } = await createIn(served.namespace, manifest);
          expect(code).toBe(1);
          expect(stderr).toContain('failed calling webhook "flow-validation.millrace.dev"');
        }
      } finally {
        run.child.kill('SIGCONT');
      }
      expect(await served.namesEverCreated()).toEqual([]);
    });
  }
});
