import type { KubeClient } from '#shared/kube/client.ts';
import type { ClientOf } from './compose.ts';

/** Opens a client when a component first requests its own. */
export function clientPerComponent(open: (component: string) => KubeClient): ClientOf {
  const opened = new Map<string, KubeClient>();
  return (component) => {
    const client = opened.get(component) ?? open(component);
    opened.set(component, client);
    return client;
  };
}
