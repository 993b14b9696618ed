/** The kinds that can be shown as a tree of their parts. A kind is added by a line of the table. */
import type { AppWrapper } from '#shared/api/app-wrapper.ts';
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { JobFlow } from '#shared/api/job-flow.ts';
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import { labels } from '#shared/domain/labels.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { parseTime } from '#shared/domain/time.ts';
import { DaemonJobObserver } from './daemon-picture.ts';
import type { ObserverOptions } from './ending.ts';
import { FlowObserver, type FlowPicture } from './flow-picture.ts';
import { pictureOfWrapper } from './wrapper-picture.ts';

/** Called for each new state of the same object. */
type Observe = (object: KubeObject, jobs: readonly KubeObject[], nowMs: number) => FlowPicture;

export interface PicturedKind {
  readonly resource: Resource;
  /** The label of its Jobs with its name. Absent: there is none. */
  readonly jobLabel?: string;
  /** Uses recorded times and the time of day. */
  readonly observer: (object: KubeObject) => Observe;
}

export const picturedKinds: readonly PicturedKind[] = [
  {
    resource: resources.JobFlow,
    jobLabel: labels.flow,
    observer: (first) => {
      const observer = new FlowObserver(onRecord(first));
      return (object, jobs, nowMs) => observer.picture(object as JobFlow, jobs, nowMs);
    },
  },
  {
    resource: resources.DaemonJob,
    jobLabel: labels.daemonJob,
    observer: (first) => {
      const observer = new DaemonJobObserver(onRecord(first));
      return (object, jobs, nowMs) => observer.picture(object as DaemonJob, jobs, nowMs);
    },
  },
  {
    resource: resources.AppWrapper,
    observer: () => (object) => pictureOfWrapper(object as AppWrapper),
  },
];

function onRecord({ metadata, status }: KubeObject): ObserverOptions {
  const started = parseTime(textOf(fieldsOf(status)['startTime']));
  return {
    startedMs: started ?? parseTime(metadata.creationTimestamp) ?? 0,
    recorded: true,
  };
}
