import type { Static, TObject } from 'typebox';
import type { Connection } from '#shared/kube/connection.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import type { clusterSettings } from './service-settings.ts';

/** Connects as the settings say. Throws MR_KUBECONFIG_UNUSABLE. */
export function connectByConfiguration({
  kubeconfig,
  serviceHost: host,
  servicePort: port,
}: Static<TObject<typeof clusterSettings>>): Promise<Connection> {
  return loadConnection({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(host === undefined || port === undefined ? {} : { inCluster: { host, port } }),
  });
}
