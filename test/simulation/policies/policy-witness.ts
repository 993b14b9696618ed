/**
 * Invariants of governed objects, judged at each commit and at rest, by facts and without the deciding rules.
 *
 * policy-1 Millrace resumes only objects with its mark that no user has resumed since, suspended submissions that
 *    never ran if a policy adopts them, and objects with a Run annotation.
 * policy-2 An object that Millrace suspends has the mark of a policy, and names the policy and the reason.
 * policy-3 Of the objects that a single policy governs and resumed itself, no more run at once than it has room for.
 * policy-4 Once faults have stopped and everything was swept, an object under a single policy does not run while that
 *    is closed. It is not held while that is open and has room for everything.
 * policy-5 At rest a policy's status is true: what it says about its schedule, and that nothing is left but what waits
 *    for a machine and may run.
 */
import { annotations } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import type { ObjectStore, StoreEvent } from '#sandbox';
import { isGovernable, isSuspended } from './nights.ts';
import { tierLabel } from './policy-plans.ts';

/** Time limit from a wish to its effect, in virtual milliseconds. */
const reactionMs = 10_000;

const governed: ReadonlySet<string> = new Set(['jobs', 'jobflows', 'daemonjobs']);
const ofPolicies: ReadonlySet<string> = new Set(['suspendpolicies', 'clustersuspendpolicies']);

export interface PolicyWitnessOptions {
  readonly store: () => ObjectStore;
  /** Whether the current writer is a process of Millrace. */
  readonly isOurs: () => boolean;
  /** By the API server's clock, in milliseconds since the epoch. */
  readonly serverNowMs: () => number;
  /** Virtual milliseconds. */
  readonly virtualNowMs: () => number;
}

export class PolicyWitness {
  readonly faults: string[] = [];
  readonly #options: PolicyWitnessOptions;
  readonly #adopters = new Set<string>();
  /** The largest room that each policy ever had, by uid. */
  readonly #room = new Map<string, number>();
  readonly #policies = new Set<string>();
  /** Since when everything relevant to the object is unchanged, in virtual milliseconds. */
  readonly #since = new Map<string, { readonly state: string; readonly atMs: number }>();

  constructor(options: PolicyWitnessOptions) {
    this.#options = options;
  }

  onChange({ type, object, old, resourceType: { plural } }: StoreEvent): void {
    if (ofPolicies.has(plural)) this.#onPolicy(object);
    if (!governed.has(plural) || type !== 'MODIFIED' || old === undefined) return;
    if (!this.#options.isOurs() || !isGovernable(old)) return;
    if (isSuspended(old) && !isSuspended(object)) this.#onResumed(old, object);
    if (!isSuspended(old) && isSuspended(object)) this.#onSuspended(object);
  }

  #onPolicy(object: KubeObject): void {
    const { metadata, spec } = object as unknown as SuspendPolicy;
    this.#policies.add(metadata.uid);
    if ((spec.adopt ?? 'Running') !== 'Running') this.#adopters.add(metadata.uid);
    const room = spec.capacity?.maxJobs ?? Infinity;
    this.#room.set(metadata.uid, Math.max(room, this.#room.get(metadata.uid) ?? 0));
  }

  #onResumed(old: KubeObject, object: KubeObject): void {
    const { name, labels = {}, annotations: notes = {} } = old.metadata;
    // Kueue has admitted it.
    if (labels[queueLabel] !== undefined) return;
    const isFresh =
      notes[annotations.resumedBy] === undefined &&
      (old.status as { readonly startTime?: string } | undefined)?.startTime === undefined;
    const isTaken = isFresh && this.#adopters.size > 0;
    const isWanted = notes[annotations.suspendOverride]?.startsWith('Run') === true;
    const mark = notes[annotations.suspendedBy];
    if ((mark === undefined || mark.endsWith('/nothing')) && !isTaken && !isWanted) {
      this.faults.push(`policy-1: resumed ${old.kind} ${name}, which a person suspended`);
    }
    const by = object.metadata.annotations?.[annotations.resumedBy] ?? '';
    const together = this.#options
      .store()
      .list(resources.Job)
      .filter(
        (job) =>
          isGovernable(job) &&
          !isSuspended(job) &&
          job.metadata.annotations?.[annotations.resumedBy] === by &&
          job.metadata.annotations[annotations.suspendOverride] === undefined,
      );
    // A policy in deletion gives everything back at once.
    const there = this.#options.store().byUid(by)?.object.metadata;
    const isGoing = there === undefined || there.deletionTimestamp !== undefined;
    const room = isGoing ? Infinity : (this.#room.get(by) ?? Infinity);
    const isAlone = together.every((job) => this.#policiesOf(job).length === 1);
    if (object.kind === 'Job' && isAlone && together.length > room) {
      this.faults.push(
        `policy-3: resumed ${name} for ${by}, and ${together.map(({ metadata }) => metadata.name).join(', ')} run where ${room} may`,
      );
    }
  }

  #onSuspended({
    kind,
    metadata: { name, labels = {}, annotations: notes = {} },
  }: KubeObject): void {
    if (labels[queueLabel] !== undefined) return;
    const [policy = ''] = notes[annotations.suspendedBy]?.split('/') ?? [];
    if (this.#policies.has(policy) && notes[annotations.held] !== undefined) return;
    this.faults.push(`policy-2: suspended ${kind} ${name} without saying for whom and why`);
  }

  /** Call it regularly once faults have stopped and lost events have been swept. */
  look(): void {
    const { store, virtualNowMs } = this.#options;
    for (const resource of [resources.Job, resources.JobFlow, resources.DaemonJob]) {
      for (const object of store().list(resource)) {
        const wanted = this.#wantedOf(object);
        const { uid, resourceVersion, name } = object.metadata;
        if (wanted === undefined) continue;
        const state = `${wanted} ${isSuspended(object)} ${isSuspended(object) === (wanted === 'held') ? '' : resourceVersion}`;
        const known = this.#since.get(uid);
        if (known?.state !== state) {
          this.#since.set(uid, { state, atMs: virtualNowMs() });
          continue;
        }
        if (isSuspended(object) === (wanted === 'held')) continue;
        if (virtualNowMs() - known.atMs < reactionMs) continue;
        this.faults.push(
          `policy-4: ${object.kind} ${name} ought to be ${wanted} for ${reactionMs} ms`,
        );
        this.#since.delete(uid);
      }
    }
  }

  /** Undefined: a user set it otherwise, or several policies decide. */
  #wantedOf(object: KubeObject): 'held' | 'running' | undefined {
    const { annotations: notes = {} } = object.metadata;
    if (!isGovernable(object) || notes[annotations.suspendOverride] !== undefined) return undefined;
    const policies = this.#policiesOf(object);
    const [policy] = policies;
    if (policy === undefined || policies.length > 1) return undefined;
    if (policy.spec.dryRun === true || policy.metadata.deletionTimestamp !== undefined)
      return undefined;
    const closed = this.#closing(policy);
    const mark = notes[annotations.suspendedBy];
    if (closed === undefined) {
      const isTheirs = mark === undefined || mark.endsWith('/nothing');
      return isTheirs || policy.spec.capacity !== undefined ? undefined : 'running';
    }
    const { adopt = 'Running', schedule } = policy.spec;
    const isLeftAlone = mark !== undefined && !isSuspended(object);
    const isSpared =
      (schedule?.onClose?.action ?? 'Suspend') !== 'Suspend' || adopt === 'Suspended';
    return isLeftAlone || isSpared || isSuspended(object) ? undefined : 'held';
  }

  #policiesOf({ kind, metadata }: KubeObject): readonly SuspendPolicy[] {
    return this.#all().filter(({ spec }) => {
      const tier = spec.selector?.matchLabels?.[tierLabel];
      const isOfKind = spec.kinds?.includes(kind) === true;
      return isOfKind && (tier === undefined || metadata.labels?.[tierLabel] === tier);
    });
  }

  /** The exception that closes it now. */
  #closing({ spec }: SuspendPolicy) {
    const nowMs = this.#options.serverNowMs();
    return spec.schedule?.exceptions?.find(
      ({ from, to }) => (parseTime(from) ?? Infinity) <= nowMs && nowMs < (parseTime(to) ?? 0),
    );
  }

  restFaults(): readonly string[] {
    return this.#all().flatMap((policy) => this.#statusFaults(policy));
  }

  #statusFaults(policy: SuspendPolicy): readonly string[] {
    const { metadata, status = {} } = policy;
    const waiting = this.#waitingUnder(policy);
    const expected = {
      observedGeneration: metadata.generation,
      state: this.#closing(policy) === undefined ? 'Open' : 'Closed',
      ...{ selected: waiting, running: waiting, held: 0, terminating: 0 },
      ...{ overridden: 0, unschedulable: 0, untouched: 0 },
      ...{ conflicts: undefined, next: undefined },
    };
    const next = parseTime(status.nextTransition);
    const isBehind = next !== undefined && next <= this.#options.serverNowMs();
    const behind = isBehind
      ? [`policy-5: ${metadata.name} says that its next transition is to come, and it has passed`]
      : [];
    const mistakes = Object.entries(expected).flatMap(([field, value]) => {
      const said = (status as Readonly<Record<string, unknown>>)[field];
      return said === value
        ? []
        : [`policy-5: ${metadata.name} says ${field} ${String(said)}, and it is ${String(value)}`];
    });
    return [...behind, ...mistakes];
  }

  /** DaemonJobs without a machine, which wait for the first one. */
  #waitingUnder(policy: SuspendPolicy): number {
    const daemonJobs = this.#options.store().list(resources.DaemonJob);
    return daemonJobs.filter((object) => {
      const { reason } = (object.status ?? {}) as { readonly reason?: string };
      const isSelected = this.#policiesOf(object).some(
        ({ metadata }) => metadata.uid === policy.metadata.uid,
      );
      return reason === 'NoEligibleNodes' && isSelected;
    }).length;
  }

  /** Whether no policy is in deletion or has a transition ahead, and all statuses are true. */
  isAtRest(): boolean {
    return this.#all().every(
      (policy) => this.#unrestOf(policy) === undefined && this.#statusFaults(policy).length === 0,
    );
  }

  /** Policies that are in deletion or have a transition ahead. */
  unrest(): readonly string[] {
    return this.#all()
      .flatMap((policy) => this.#unrestOf(policy) ?? [])
      .concat(this.restFaults());
  }

  #unrestOf({ metadata, spec }: SuspendPolicy): string | undefined {
    if (metadata.deletionTimestamp !== undefined) return `I5: policy ${metadata.name} does not go`;
    const nowMs = this.#options.serverNowMs();
    const isAhead = spec.schedule?.exceptions?.some(({ to }) => (parseTime(to) ?? 0) >= nowMs);
    return isAhead === true ? `I5: policy ${metadata.name} has a transition ahead` : undefined;
  }

  #all(): readonly SuspendPolicy[] {
    return [resources.SuspendPolicy, resources.ClusterSuspendPolicy].flatMap((resource) =>
      this.#options.store().list(resource),
    ) as unknown as readonly SuspendPolicy[];
  }
}
