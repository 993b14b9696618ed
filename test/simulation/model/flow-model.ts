/**
 * What the rules of a JobFlow say about one run: looks on at every committed change and every decision,
 * and says where they part from the rules. Shares no code with what it judges.
 */
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { JobTemplateObject } from '#shared/api/job-template.ts';
import { labels } from '#shared/domain/labels.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { ObjectStore, StoreEvent } from '#sandbox';
import type { Pass } from '../world/observed-function.ts';
import type { RequestName } from '../world/simulated-client.ts';
import { restFaults } from './at-rest.ts';
import { decisionVerdict } from './decision-faults.ts';
import { FlowHistory } from './flow-history.ts';
import type { Freedom, FreedomsUsed } from './freedom.ts';
import type { Look, SeenTemplate } from './look.ts';
import { ToldEvents } from './told-events.ts';
import { whole } from './whole-status.ts';

export interface Truth {
  readonly store: ObjectStore;
  /** By the API server's clock, milliseconds since the epoch. */
  readonly nowMs: number;
  readonly clocksAreRight: boolean;
}

export class FlowModel {
  /** How often the rules permitted something else than the truth would have called for. */
  readonly freedoms: FreedomsUsed = {};
  readonly #history = new FlowHistory();
  readonly #events = new ToldEvents();

  /** To be called with every committed change; says what is wrong with it. */
  onChange(event: StoreEvent): readonly string[] {
    const { type, object, old } = event;
    const { plural } = event.resourceType;
    this.#history.onChange({ type, object, plural });
    if (plural === 'events' && type === 'ADDED' && !isOnDaemonJob(object)) {
      return this.#events.stored(object, (uid) => this.#history.flow(uid));
    }
    if (plural === 'jobflows' && type === 'MODIFIED' && old?.status !== object.status) {
      const [before, after] = [old, object].map((each) => whole(each as unknown as JobFlow));
      this.#events.recorded(before!, after!);
    }
    return [];
  }

  /** The API server did not take it. */
  onRefused({ verb, resource, name }: RequestName): void {
    if (verb !== 'create' || resource.kind !== 'Event') return;
    this.#events.lost(name);
    this.#use('lost Event');
  }

  /** What is wrong with a decision. */
  faultsOf({ snapshot, nowMs, gates, decision, life, sight }: Pass): readonly string[] {
    const { look, faults } = this.#history.lookOf(snapshot, { nowMs, gates }, sight);
    const verdict = decisionVerdict(look, decision);
    this.#events.announced(look.flow, verdict.events);
    if (decision.plan.length > 0) this.#history.freedomsOf(look).forEach((each) => this.#use(each));
    const { name, resourceVersion } = look.flow.metadata;
    const where = `${life.name} about ${name} at ${resourceVersion}`;
    return [...faults, ...verdict.faults].map((fault) => `${fault} (${where})`);
  }

  /** What is wrong with flows that have come to rest. */
  restFaults(flows: readonly JobFlow[], truth: Truth): readonly string[] {
    return flows.map(whole).flatMap((flow) => [
      ...restFaults({
        ...truth,
        look: this.#truth(flow, truth),
        past: this.#history.pastOf(flow),
      }),
      ...this.#events.faultsOf(flow),
    ]);
  }

  #truth(flow: JobFlow, { store, nowMs }: Truth): Look {
    const { uid } = flow.metadata;
    const jobs = store.list(resources.Job).filter(({ metadata }) => isFound(metadata, uid));
    const templates = store.list(resources.JobTemplate) as unknown as readonly JobTemplateObject[];
    return {
      flow,
      startedWith: this.#history.startedWith(flow),
      jobs: new Map(jobs.map((job) => [job.metadata.name, job])),
      pods: store.list(resources.Pod),
      gone: new Set(),
      noticesRemovals: true,
      isUnderLoad: false,
      templates: new Map(templates.map((template) => [template.metadata.name, asSeen(template)])),
      refused: new Map(),
      wasJustRefused: false,
      atMs: nowMs,
    };
  }

  #use(freedom: Freedom): void {
    this.freedoms[freedom] = (this.freedoms[freedom] ?? 0) + 1;
  }
}

/** Without its label nobody finds a Job again that is over. */
function isFound(metadata: KubeObject['metadata'], uid: string): boolean {
  return controllerOf(metadata)?.uid === uid && metadata.labels?.[labels.ownerUid] === uid;
}

function asSeen({ metadata, spec }: JobTemplateObject): SeenTemplate {
  const { uid, generation = 0 } = metadata;
  return { uid, generation, hash: '', jobTemplate: spec.jobTemplate };
}

/** Whether that one exists, `DaemonWitness` judges. */
function isOnDaemonJob(event: KubeObject): boolean {
  const { involvedObject } = event as KubeObject & {
    readonly involvedObject?: { readonly kind?: string };
  };
  return involvedObject?.kind === 'DaemonJob';
}
