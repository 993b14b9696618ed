/** kubectl's output for submissions with the webhooks of flow-admission on. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { readCrds } from '#functions/millrace/commands/crds.ts';
import {
  registerFlowAdmission,
  type RegisteredAdmissions,
} from '#test/support/admission-webhooks.ts';
import { kubectlOrThrow, kubectlWith, type Kubectl } from '#test/support/control-plane/kubectl.ts';
import { startListeningSandbox, type ListeningSandbox } from '#test/support/listening-sandbox.ts';
import { describeWithCluster } from '#test/support/require.ts';
import { testExtent } from '#test/support/test-extent.ts';
import { submissions, type Submission } from './admission/submissions.ts';

const namespace = 'submissions';
const misspeltContainer = { name: 'main', image: 'busybox:1.28', comand: ['run'] };
/** The object as it may have been stored while no webhook was registered. */
const misspeltTemplate: JsonObject = {
  apiVersion: 'api.practice.com/v1alpha1',
  kind: 'JobTemplate',
  metadata: { name: 'stored' },
  spec: { jobTemplate: { template: { spec: { containers: [misspeltContainer] } } } },
};
/** The sandbox's own suites and the conformance test how it calls webhooks. */
const servers = ['the API server', ...(testExtent() === 'full' ? ['the sandbox'] : [])];
const everything = 'jobflows,jobtemplates,daemonjobs,jobs,pods,events';

function printed({ warnings = [], refused }: Submission): string {
  const lines = warnings.map((text) => `Warning: ${text.replace('NAMESPACE', namespace)}\n`);
  if (refused === undefined) return lines.join('');
  const by = 'admission webhook "flow-validation.millrace.dev" denied the request';
  // kubectl has words of its own for the reason Invalid.
  const what =
    refused.reason === 'Invalid'
      ? 'The request is invalid'
      : `Error from server (${refused.reason})`;
  return `${lines.join('')}${what}: error when creating "STDIN": ${by}: ${refused.message}\n`;
}

describeWithCluster('flow-admission', (cluster) => {
  describe.each(servers)('asked by %s', (server) => {
    let sandbox: ListeningSandbox | undefined;
    let kubectl: Kubectl;
    let admissions: RegisteredAdmissions;
    const run = (args: readonly string[], manifest?: JsonObject) =>
      kubectl(
        ['-n', namespace, ...args],
        manifest === undefined ? {} : { input: JSON.stringify(manifest) },
      );

    beforeAll(async () => {
      if (server === 'the sandbox') sandbox = await startListeningSandbox();
      const kubeconfig = sandbox?.kubeconfig ?? cluster.kubeconfig;
      kubectl = kubectlWith(cluster.binaries.kubectl, kubeconfig);
      if (sandbox !== undefined) {
        await kubectlOrThrow(kubectl, ['apply', '-f', '-'], { input: await readCrds() });
        const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'minikube' } };
        await kubectlOrThrow(kubectl, ['create', '-f', '-'], { input: JSON.stringify(node) });
      }
      await kubectlOrThrow(kubectl, ['create', 'namespace', namespace]);
      await kubectlOrThrow(kubectl, ['-n', namespace, 'create', '-f', '-'], {
        input: JSON.stringify(misspeltTemplate),
      });
      admissions = await registerFlowAdmission({
        ...{ kubectl, namespace },
        kubeconfig: sandbox?.kubeconfig ?? cluster.kubeconfigs['flow-admission'] ?? '',
      });
    });
    afterAll(async () => {
      await admissions.stop();
      await kubectlOrThrow(kubectl, ['delete', 'namespace', namespace, '--wait=false']);
      await sandbox?.stop();
    });

    it.each(submissions)('$submitted', async (submission) => {
      const { stderr, code } = await run(['create', '-f', '-'], submission.manifest);
      expect(stderr).toBe(printed(submission));
      expect(code).toBe(submission.refused === undefined ? 0 : 1);
    });

    it('warns about a misspelt field that was stored before, and refuses another', async () => {
      const patch = (jobTemplate: JsonObject) =>
        run([
          'patch',
          'mjt',
          'stored',
          '--type=merge',
          '-p',
          JSON.stringify({ spec: { jobTemplate } }),
        ]);
      const words =
        'spec.jobTemplate: template.spec.containers[0].comand: the API server does not know this field, and the Job would run without it';
      const { stderr, code } = await patch({ completions: 2 });
      expect(stderr).toBe(`Warning: ${words}\n`);
      expect(code).toBe(0);
      const containers = [{ ...misspeltContainer, comand: ['walk'] }];
      const changed = await patch({ template: { spec: { containers } } });
      expect(changed.stderr).toContain(`denied the request: ${words}; correct its spelling`);
      expect(changed.code).toBe(1);
    });

    it('names --server-side where kubectl apply has no room for its copy of the manifest', async () => {
      const env = [{ name: 'TEXT', value: 'x'.repeat(1_000) }];
      const template = { spec: { containers: [{ name: 'main', image: 'busybox:1.28', env }] } };
      const flows = Array.from({ length: 300 }, (_, index) => ({
        name: `s${index}`,
        jobTemplate: { template },
      }));
      const large: JsonObject = {
        ...{ apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow' },
        ...{ metadata: { name: 'large' }, spec: { suspend: true, flows } },
      };
      const { stderr, code } = await run(['apply', '-f', '-'], large);
      expect(stderr).toContain('Too long: may not be more than 262144 bytes');
      expect(stderr).toContain('Warning: metadata.annotations: kubectl apply keeps a copy');
      expect(code).toBe(1);
      expect(await run(['apply', '--server-side', '-f', '-'], large)).toMatchObject({ code: 0 });
      await run(['delete', 'mjf', 'large']);
    });

    it('leaves no trace of a dry run, which is judged nevertheless', async () => {
      const stored = () =>
        kubectlOrThrow(kubectl, ['-n', namespace, 'get', everything, '-o', 'name']);
      const before = await stored();
      const dryRun = ['create', '--dry-run=server', '-o', 'yaml', '-f', '-'];
      for (const { manifest, refused } of submissions) {
        const { metadata } = manifest as { readonly metadata: JsonObject };
        const again = {
          ...manifest,
          metadata: { ...metadata, name: `${metadata['name'] as string}-x` },
        };
        const { stdout, code } = await run(dryRun, again);
        expect(code).toBe(refused === undefined ? 0 : 1);
        if (refused === undefined) expect(stdout).toContain('millrace.dev/submitter');
      }
      expect(await stored()).toBe(before);
    });
  });

  it('has webhooks for a cluster that the API server takes as they are', async () => {
    const webhooks = join(import.meta.dirname, '../../deploy/base/webhooks.yaml');
    const args = ['apply', '--server-side', '--dry-run=server', '-f', webhooks];
    const applied = (await kubectlOrThrow(cluster.kubectl, args)).trim().split('\n');
    const served = ['flow-admission', 'appwrapper-admission', 'suspend-admission'];
    const expected = served.flatMap((name) =>
      ['mutating', 'validating'].map((mode): unknown =>
        expect.stringMatching(
          new RegExp(`^${mode}webhookconfiguration.*millrace-${name} serverside-applied`),
        ),
      ),
    );
    expect(applied).toEqual(expected);
  });
});
