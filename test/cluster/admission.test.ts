/** Two admissions as the API server calls them: over TLS, from webhook configurations. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Admission } from '#shared/admission/admission.ts';
import { protectKept, stampAuthor } from '#shared/admission/testing/sample-admissions.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { apiReader } from '#shared/kube/api-reader.ts';
import { clusterInquiry } from '#shared/kube/inquiry.ts';
import {
  memoryRecorder,
  serveAdmissions,
  type ServedAdmissions,
} from '#shared/runtime/testing/served-admissions.ts';
import { openClient, type ClusterClient } from '#test/support/cluster-client.ts';
import { kubectlOrThrow, kubectlWith } from '#test/support/control-plane/kubectl.ts';
import { startListeningSandbox, type ListeningSandbox } from '#test/support/listening-sandbox.ts';
import { describeWithCluster } from '#test/support/require.ts';

const namespace = 'admissions';

function configuration(admission: Admission, { url, ca }: ServedAdmissions): JsonObject {
  const { name, mode, reviews, registration } = admission;
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: mode === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
    metadata: { name: `${name}.test` },
    webhooks: [
      {
        name: `${name}.example.com`,
        clientConfig: { url: `${url}/${name}`, caBundle: Buffer.from(ca).toString('base64') },
        rules: reviews.map(({ resource, operations }) => ({
          apiGroups: [resource.group],
          apiVersions: [resource.version],
          resources: [resource.plural],
          operations: [...operations],
        })),
        // Only objects of this suite are reviewed.
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        failurePolicy: registration.failurePolicy,
        timeoutSeconds: registration.timeoutSeconds,
      },
    ],
  };
}

describeWithCluster('admissions', (cluster) => {
  describe.each(['the API server', 'the sandbox'])('called by %s', (server) => {
    const recorder = memoryRecorder();
    let sandbox: ListeningSandbox | undefined;
    let client: ClusterClient;
    let served: ServedAdmissions;
    let configurations: readonly JsonObject[] = [];
    let kubeconfig: string;
    const run = (...args: readonly string[]) =>
      kubectlWith(cluster.binaries.kubectl, kubeconfig)(['-n', namespace, ...args]);
    const orThrow = (args: readonly string[], input?: string) =>
      kubectlOrThrow(
        kubectlWith(cluster.binaries.kubectl, kubeconfig),
        ['-n', namespace, ...args],
        input === undefined ? {} : { input },
      );
    const recorded = () =>
      recorder.records.map(({ review }) => `${review.operation} ${review.name}`);

    beforeAll(async () => {
      if (server === 'the sandbox') sandbox = await startListeningSandbox({ controllers: false });
      kubeconfig = sandbox?.kubeconfig ?? cluster.kubeconfig;
      client = await openClient(kubeconfig, 'admission');
      const admissions = [stampAuthor, protectKept];
      served = await serveAdmissions({
        ...{ admissions, recorder },
        cluster: clusterInquiry(client.client, apiReader(client.client)),
      });
      await orThrow(['create', 'namespace', namespace]);
      configurations = admissions.map((admission) => configuration(admission, served));
      for (const each of configurations) await orThrow(['create', '-f', '-'], JSON.stringify(each));
      await untilReviewed();
    });
    afterAll(async () => {
      for (const each of configurations) {
        await orThrow(['delete', '-f', '-'], JSON.stringify(each));
      }
      await orThrow(['delete', 'namespace', namespace, '--wait=false']);
      await served.stop();
      await client[Symbol.asyncDispose]();
      await sandbox?.stop();
    });

    /** A configuration takes effect when the API server's own watch has received it. */
    async function untilReviewed(): Promise<void> {
      const probe = ['create', 'configmap', 'probe', '--dry-run=server', '-o', 'yaml'];
      const reviews = served.registry.getSingleMetric('millrace_reviews_total')!;
      await vi.waitFor(
        async () => {
          await orThrow(probe);
          const asked = new Set((await reviews.get()).values.map((of) => of.labels['admission']));
          expect(asked).toEqual(new Set(['stamp-author', 'protect-kept']));
        },
        { timeout: 45_000 },
      );
    }

    it('change an object by a patch, and record it afterwards', async () => {
      await orThrow(['create', 'configmap', 'a', '--from-literal=colour=blue']);
      const author = await orThrow([
        ...['get', 'configmap', 'a', '-o'],
        'jsonpath={.metadata.annotations.example\\.com/author} {.data.colour}',
      ]);
      expect(author).toMatch(/^\S+ blue$/);
      const both = ['stamp-author CREATE a', 'protect-kept CREATE a'];
      await expect
        .poll(() =>
          recorder.records.map((it) => `${it.admission} ${it.review.operation} ${it.review.name}`),
        )
        .toEqual(expect.arrayContaining(both));
    });

    it('warn the client', async () => {
      const { stderr, code } = await run('create', 'configmap', 'empty');
      expect([code, stderr]).toEqual([0, 'Warning: the ConfigMap holds nothing\n']);
    });

    it('deny with a reason', async () => {
      await orThrow(['create', 'configmap', 'kept', '--from-literal=keep=yes']);
      const { stderr, code } = await run('delete', 'configmap', 'kept');
      expect(code).toBe(1);
      expect(stderr).toContain(
        'admission webhook "protect-kept.example.com" denied the request: the ConfigMap kept is kept',
      );
      await orThrow(['get', 'configmap', 'kept']);
    });

    it('decide by what they look up', async () => {
      await orThrow(['label', 'namespace', namespace, 'example.com/frozen=true']);
      const { stderr } = await run('create', 'configmap', 'later');
      await orThrow(['label', 'namespace', namespace, 'example.com/frozen-']);
      expect(stderr).toContain(`denied the request: the namespace ${namespace} is frozen`);
    });

    it('judge a dry run and record nothing of it', async () => {
      const made = await orThrow(['create', 'configmap', 'dry', '--dry-run=server', '-o', 'yaml']);
      expect(made).toContain('example.com/author');
      const deletions = () => recorded().filter((it) => it === 'DELETE kept');
      const before = deletions();
      const { stderr } = await run('delete', 'configmap', 'kept', '--dry-run=server');
      expect(stderr).toContain('the ConfigMap kept is kept');
      await orThrow(['create', 'configmap', 'after']);
      await expect.poll(recorded).toContain('CREATE after');
      expect(recorded()).not.toContain('CREATE dry');
      expect(deletions()).toEqual(before);
    });
  });
});
