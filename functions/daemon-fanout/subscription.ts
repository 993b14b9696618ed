/** The objects that wake daemon-fanout: a DaemonJob, its Jobs, problems of their Pods, and nodes. */
import { daemonJobKind } from '#shared/api/daemon-job.ts';
import { resources } from '#shared/domain/resources.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import { wishFingerprint } from '#shared/subscription/fingerprint.ts';
import { accessOfOwner, jobsOf } from '#shared/subscription/jobs-of.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import { daemonJobsOfNode } from './subscription/daemon-jobs-of-node.ts';
import { keepOfNode, nodeFingerprint } from './subscription/node.ts';
import { isUnfinished } from './subscription/unfinished.ts';

const { DaemonJob, Node } = resources;

export const subscription: Subscription = {
  name: 'daemon-fanout',
  decides: [DaemonJob],
  kinds: [daemonJobKind],
  watches: [
    { resource: DaemonJob, leadsTo: 'self', fingerprint: wishFingerprint, keep: stripMetadata },
    {
      resource: Node,
      isListed: true,
      leadsTo: daemonJobsOfNode,
      fingerprint: nodeFingerprint,
      keep: keepOfNode,
    },
    ...jobsOf(DaemonJob),
  ],
  isUnfinished,
  access: accessOfOwner(DaemonJob, { resource: Node, verbs: ['get', 'list'] }),
};
