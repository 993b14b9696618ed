/**
 * Templates that users wrap in AppWrappers, in a cluster with the webhooks of appwrapper-admission.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  deployment,
  inDeployment,
  job,
  pod,
  wrapper,
} from '#functions/appwrapper-admission/testing/wrappers.ts';
import { defaultWrapperSettings } from '#functions/appwrapper-admission/wrapper-settings.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { RegisteredAdmissions } from '#test/support/admission-webhooks.ts';
import { kubectlWith, type KubectlResult } from '#test/support/control-plane/kubectl.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { type FlowWorld, untilEnded } from '#test/support/flow-world.ts';
import { registerWrapperAdmission } from '#test/support/wrapper-webhooks.ts';
import {
  appWrapper,
  statusOf,
  wrappedJob,
  wrappedPod,
} from '#test/support/wrappers/wrapper-manifests.ts';
import {
  endWrappedPod,
  untilWrapperIs,
  untilWrapperIsGone,
  wrapperOf,
} from '#test/support/wrappers/wrapper-waits.ts';
import { untilAuthorized } from '#test/support/until-authorized.ts';

const rbac = 'rbac.authorization.k8s.io';

/** Each wraps a Pod as well, so that only the other resource can be the refused one. */
const wrapping = (template: JsonObject) => wrapper([pod(), { template }]);
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'stolen' } };
const roleBinding = {
  apiVersion: `${rbac}/v1`,
  kind: 'RoleBinding',
  metadata: { name: 'more-rights' },
  roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'admin' },
  subjects: [{ apiGroup: rbac, kind: 'User', name: 'eve' }],
};
const webhooks = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'everything' },
};
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
};
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'more-room' } };

describeFlows('attacks by what is wrapped', (suite) => {
  let world: FlowWorld;
  let admissions: RegisteredAdmissions;

  /** `user`: absent means an administrator of the cluster. */
  const created = (manifest: JsonObject, user?: string): Promise<KubectlResult> =>
    kubectlWith(suite.cluster.binaries.kubectl, suite.cluster.kubeconfig)(
      [
        ...['--namespace', world.namespace, 'create', '-f', '-'],
        ...(user === undefined ? [] : ['--as', user]),
      ],
      { input: JSON.stringify(manifest) },
    );
  const refused = async (manifest: JsonObject, words: string, user?: string) => {
    const { code, stderr } = await created(manifest, user);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(words) as string });
  };

  beforeAll(async () => {
    world = await suite.world('wrapped');
    const kubectl = kubectlWith(suite.cluster.binaries.kubectl, suite.cluster.kubeconfig);
    admissions = await registerWrapperAdmission({
      ...{ kubectl, namespace: world.namespace, wrappers: defaultWrapperSettings },
      kubeconfig: suite.cluster.kubeconfigs['appwrapper-admission'] ?? '',
    });
    const wrapped = '--resource=appwrappers.workload.codeflare.dev,pods';
    await world.kubectl(['create', 'role', 'wraps', '--verb=create', wrapped]);
    await world.kubectl(['create', 'rolebinding', 'eve-wraps', '--role=wraps', '--user=eve']);
    const right = ['create', 'pods'] as const;
    await untilAuthorized(kubectl, { user: 'eve', namespace: world.namespace, right });
  });
  afterAll(() => admissions.stop());

  it.each<[string, JsonObject, string]>([
    ['a Secret', secret, 'User eve is not authorized to create secrets'],
    ['a RoleBinding', roleBinding, 'User eve is not authorized to create rolebindings'],
    ['webhooks', webhooks, 'cannot create mutatingwebhookconfigurations, which belong to no'],
    ['a definition', definition, 'cannot create customresourcedefinitions, which belong to no'],
    ['a namespace', namespace, 'cannot create namespaces, which belong to no namespace'],
    ['an AppWrapper', wrapper([pod()]), 'Nested AppWrappers are forbidden'],
  ])('#17 a user wraps nothing beyond their rights: %s', async (_, template, words) => {
    await refused(wrapping(template), words, 'eve');
  });

  it.each<[string, JsonObject, string]>([
    ['webhooks', webhooks, 'cannot create mutatingwebhookconfigurations, which belong to no'],
    ['a definition', definition, 'cannot create customresourcedefinitions, which belong to no'],
    ['a namespace', namespace, 'cannot create namespaces, which belong to no namespace'],
    ['an AppWrapper', wrapper([pod()]), 'Nested AppWrappers are forbidden'],
  ])('#17 not even an administrator wraps %s', async (_, template, words) => {
    await refused(wrapping(template), words);
  });

  it('#17 Millrace itself creates no RoleBinding, even for an administrator', async () => {
    const settings = { admissionGracePeriodDuration: '2s', retryLimit: '0' };
    const templates = [wrappedPod('beside'), roleBinding];
    await world.apply(appWrapper('bindings', templates, { settings }));
    await untilWrapperIs(world, 'bindings', 'Failed');
    const { conditions } = statusOf(await wrapperOf(world, 'bindings'));
    expect(conditions?.find(({ type }) => type === 'Unhealthy')?.message).toContain('rolebindings');
    const found = await world.kubectl(['get', 'rolebinding', '-o', 'name']);
    expect(found.trim()).toBe('rolebinding.rbac.authorization.k8s.io/eve-wraps');
    await world.delete('AppWrapper', 'bindings');
    await untilWrapperIsGone(world, 'bindings');
  });

  it('#18 a template that has ended, belongs to others and exists already starts anew', async () => {
    const copied = {
      ...{ generateName: 'copy-', resourceVersion: '1', uid: 'of-another', generation: 7 },
      ...{ creationTimestamp: '2020-01-01T00:00:00Z', deletionTimestamp: '2020-01-01T00:00:00Z' },
      managedFields: [{ manager: 'eve', operation: 'Update' }],
      labels: { 'millrace.dev/owner-uid': 'of-another', 'millrace.dev/component': '7' },
    };
    const ended = { conditions: [{ type: 'Complete', status: 'True' }], succeeded: 1 };
    const templates = [
      copyOf(wrappedPod('copied-pod', { runFor: untilEnded }), copied, { phase: 'Succeeded' }),
      copyOf(wrappedJob('copied-job', { runFor: untilEnded }), copied, ended),
    ];
    await world.apply(appWrapper('copies', templates));
    await endWrappedPod(world, 'copied-pod', 0);
    await world.untilRunning('copied-job');
    await untilWrapperIs(world, 'copies', 'Running');
    await world.endPod('copied-job', 0);
    await untilWrapperIs(world, 'copies', 'Succeeded');
  });

  it.each<[string, JsonObject, string]>([
    ['beyond int32', deploymentOf(2 ** 31), 'must be of type integer with format int32'],
    ['a fraction', deploymentOf(1.5), 'must be of type int32'],
    ['text', deploymentOf('4'), 'must be of type integer'],
    ['negative', deploymentOf(-1), "replicas of 'template.spec.template' must not be negative"],
    ['beyond int32', job({ parallelism: 2 ** 31 }), 'makes 2147483648 Pods'],
    ['a fraction', job({ parallelism: 1.5 }), 'non-int value 1.5'],
    ['text', job({ completions: '4' }), 'non-int value "4"'],
    ['negative', job({ parallelism: -1 }), 'must not be negative'],
  ])('#19 a number of Pods that is %s is refused: case %#', async (_, component, words) => {
    await refused(wrapper([component]), words);
  });

  it('#19 more podSets than Kueue takes are refused, and a path to no Pod template', async () => {
    const nine = Array.from({ length: 9 }, () => pod());
    await refused(wrapper(nine), 'components contains 9 podspecs; at most 8 are allowed');
    const podSets = [{ path: 'template.spec.constructor', replicas: 4 }];
    await refused(wrapper([deployment(4, { podSets })]), "missing field 'constructor'");
  });
});

/** As `kubectl get -o json` prints it. */
function copyOf(template: object, metadata: JsonObject, status: JsonObject): object {
  const { metadata: own } = template as { readonly metadata: JsonObject };
  return { ...template, metadata: { ...own, ...metadata }, status };
}

function deploymentOf(replicas: number | string): JsonObject {
  return deployment(4, { podSets: [{ path: inDeployment, replicas }] });
}
