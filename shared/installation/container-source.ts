/**
 * The bridge as an event source of Knative Eventing, instead of its Deployment. It sends to a broker what it
 * would otherwise enqueue, and a Trigger delivers it to the deciding function. The bridge still does indexes,
 * sweeps and existing objects, so a function gets everything that a dispatcher would deliver. Only requeue
 * times are lost on the broker.
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import { brokerOf, brokerSink, deliveriesOfBroker, sources, triggerOf } from './broker.ts';
import type { Addresses } from './container.ts';
import { type DeclaredProcess, isSource } from './declared-process.ts';
import { podTemplateOf } from './deployment.ts';
import { labelsOf, manifest } from './names.ts';
import type { InstallationSettings } from './settings.ts';

/** Broker, Triggers, and the right to deliver. */
export function brokerOfBridge(
  processes: readonly DeclaredProcess[],
  namespace: string,
): readonly JsonObject[] {
  const triggers = processes.flatMap(({ name, decides = [] }) =>
    decides.map((resource) =>
      triggerOf(name, resource, namespace, { source: `/millrace/bridge/${name}` }),
    ),
  );
  return [brokerOf(namespace), ...triggers, deliveriesOfBroker(namespace)];
}

/**
 * Its controller makes a Deployment `NAME-deployment` from the template, and sets the broker's address there.
 */
export function containerSourcesOf(
  processes: readonly DeclaredProcess[],
  settings: InstallationSettings,
  addresses: Addresses,
): readonly JsonObject[] {
  return processes.filter(isSource).map((process) => {
    const { name } = process;
    const metadata = { name, namespace: settings.namespace, labels: labelsOf(process) };
    const template = podTemplateOf(process, settings, addresses);
    return manifest(sources, 'ContainerSource', metadata, { spec: { template, sink: brokerSink } });
  });
}
