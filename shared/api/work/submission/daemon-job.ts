/** A DaemonJob submits a Job for each node. These are equal except for the node. */
import type { DaemonJob } from '../../daemon-job.ts';
import {
  daemonJobRuleFaults,
  daemonJobTemplateFaults,
  daemonJobUniquenessFaults,
} from '../../daemon-job-rules.ts';
import { excludedNodes } from '#shared/domain/excluded-nodes.ts';
import { asUid, type Json, type JsonObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { renderNodeJob } from '#shared/render/render-node-job.ts';
import { shapeFault } from '#shared/render/template-fault.ts';
import type { Submission } from './submission.ts';
import { withoutOwner } from './without-owner.ts';
import { remarksOnJob, remarksOnTtl } from './remarks.ts';

export const daemonJobSubmission: Submission = {
  creates: resources.Job,
  faults: (object) => {
    const { spec } = asDaemonJob(object);
    const shape = shapeFault(spec);
    if (shape !== undefined) return [{ path: 'spec', message: shape }];
    return [
      ...daemonJobUniquenessFaults(spec),
      ...daemonJobRuleFaults(spec),
      ...daemonJobTemplateFaults(spec),
    ];
  },
  nodeNames: (object) => {
    const excluded = [...excludedNodes(asDaemonJob(object).spec.excludeNodeList)];
    return new Map(excluded.map((name) => [name, 'spec.excludeNodeList excludes nothing by it']));
  },
  children: (object) => {
    const daemonJob = asDaemonJob(object);
    const { object: job } = renderNodeJob(daemonJob, { node: anyNode, attempt: 0 });
    const child = { of: 'the Job of each node', job: withoutOwner(job) };
    const { eligibility, template } = daemonJob.spec;
    if (eligibility !== 'All') return { children: [child], faults: [] };
    // The added toleration comes after those of the template.
    const added = `template.spec.tolerations[${(template.spec['tolerations'] as readonly Json[] | undefined)?.length ?? 0}]`;
    return { children: [{ ...child, comesOf: { [added]: ofEligibility } }], faults: [] };
  },
  remarks: (object) => {
    const { template, backoffLimit = 0, ttlSecondsAfterFinished: ttl } = asDaemonJob(object).spec;
    const { nodeName = '' } = template.spec;
    return [
      ...remarksOnTtl('DaemonJob', ttl),
      ...(nodeName === '' ? [] : ['spec.template.spec.nodeName is left out: each node has a Job']),
      ...remarksOnJob('spec.template', { template, backoffLimit }),
    ];
  },
};

const ofEligibility = {
  path: 'spec.eligibility',
  message:
    'All makes the Pod tolerate every taint; write Fitting, and in the template the tolerations that it needs',
};

/** The question does not depend on the nodes. */
const anyNode = { name: 'any', uid: asUid('') };

function asDaemonJob(object: JsonObject): DaemonJob {
  return object as unknown as DaemonJob;
}
