/**
 * The bridge as an event source of Knative Eventing, in the place of its Deployment: all that it would put
 * into the queue it tells a broker, and a Trigger leads it to the function that decides about the object.
 * Indexes, sweeps and what was there before are the bridge's, so that a function gets all that it
 * would get from the dispatcher; only a time at which to come again the broker does not know.
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import { brokerOf, brokerSink, deliveriesOfBroker, sources, triggerOf } from './broker.ts';
import type { Addresses } from './container.ts';
import { type DeclaredProcess, isSource } from './declared-process.ts';
import { podTemplateOf } from './deployment.ts';
import { labelsOf, manifest } from './names.ts';
import type { InstallationSettings } from './settings.ts';

/** Broker, Triggers, and who may deliver. */
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

/** Its controller makes a Deployment `NAME-deployment` of the template, and says there where the broker is. */
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
