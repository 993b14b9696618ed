/** Knative Eventing on the real node: built from its Go module, with a broker on channels in memory. */
import { join } from 'node:path';
import { kubectlPatience } from '#test/support/patience.ts';
import { applyDefinitions, applyKnative, importKnative, manifestsIn } from './knative-manifests.ts';
import { downloadKnative } from './knative-programs.ts';
import type { RealCluster } from './real-cluster.ts';
import { rolledOut } from './rollout.ts';

const namespace = 'knative-eventing';

/**
 * Takes brokers, triggers and sources when it returns, and works on them. Whether they are ready they say
 * themselves; the kubelet asks the controller of sources for the first time 20 s after its start.
 */
export async function installEventing(
  cluster: RealCluster,
  progress: (line: string) => void,
): Promise<void> {
  await importKnative(cluster, 'eventing', progress);
  const config = join(await downloadKnative('eventing'), 'config');
  const core = join(config, 'core');
  const channel = join(config, 'channels/in-memory-channel');
  const broker = join(config, 'brokers/mt-channel-broker');
  await applyDefinitions(cluster, [
    ...(await manifestsIn(join(core, 'resources'))),
    ...(await manifestsIn(join(channel, 'resources'))),
  ]);
  const folders = [
    ...[core, channel].flatMap((part) =>
      ['', 'roles', 'configmaps', 'webhooks'].map((name) => join(part, name)),
    ),
    join(broker, 'roles'),
  ];
  await applyKnative(cluster, (await Promise.all(folders.map(manifestsIn))).flat());
  await applyKnative(cluster, [
    ...['controller', 'webhook'].map((name) => join(core, `deployments/${name}.yaml`)),
    ...(await manifestsIn(join(channel, 'deployments'))),
    ...['broker-filter', 'broker-ingress', 'controller'].map((name) =>
      join(broker, `deployments/${name}.yaml`),
    ),
  ]);
  await rolledOut(cluster, namespace, ['eventing-webhook', 'imc-controller']);
  // Until its webhook has registered its rules, no component writes the defaults of a broker.
  for (const name of ['webhook.eventing.knative.dev', 'inmemorychannel.eventing.knative.dev']) {
    const registered = ['--for=jsonpath={.webhooks[0].rules}', kubectlPatience];
    await cluster.ask(['wait', ...registered, `mutatingwebhookconfiguration/${name}`]);
  }
  progress('knative eventing: takes brokers and sources');
}

/** Of no broker or source anything may be left: their finalizers would stay. Its Pods go in the background. */
export async function removeEventing({ ask }: RealCluster): Promise<void> {
  const kinds = 'mutatingwebhookconfigurations,validatingwebhookconfigurations';
  await ask(['delete', kinds, '-l', `app.kubernetes.io/name=${namespace}`]);
  await ask(['delete', 'namespace', namespace, '--wait=false']);
}
