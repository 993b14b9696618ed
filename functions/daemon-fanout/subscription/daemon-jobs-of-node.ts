import {
  apiVersionOf,
  type KubeObject,
  objectName,
  type ObjectKey,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Index } from '#shared/subscription/subscription.ts';
import { isOver } from './unfinished.ts';

/**
 * Every DaemonJob that is not over: it may select a node later, when the node's labels change. Built on
 * first use, so a batch of events about many nodes costs a single pass.
 */
export const daemonJobsOfNode: Index = (seen) => {
  let keys: readonly ObjectKey[] | undefined;
  return () =>
    (keys ??= [...seen.list(resources.DaemonJob)]
      .filter((daemonJob) => !isOver(daemonJob))
      .map(keyOf));
};

function keyOf({ metadata }: KubeObject): ObjectKey {
  const { kind } = resources.DaemonJob;
  const apiVersion = apiVersionOf(resources.DaemonJob);
  return { apiVersion, kind, ...objectName(metadata), uid: metadata.uid };
}
