/**
 * A burst of Jobs under a capacity: admission starts some, suspend-schedule decides, and the API server stores late.
 */
import type { Admission } from '#shared/admission/admission.ts';
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import { applyMergePatch } from '#shared/domain/merge-patch.ts';
import {
  asResourceVersion,
  asUid,
  type Json,
  type JsonObject,
  type KubeObject,
} from '#shared/domain/objects.ts';
import { omit } from '#shared/domain/omit.ts';
import type { Operation } from '#shared/domain/plan.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import { governedObject } from '#shared/suspension/governed-object.ts';
import { suspendAdmissions } from '#functions/suspend-admission/testing/admissions.ts';
import {
  answer,
  creation,
  policies,
  policy,
} from '#functions/suspend-admission/testing/reviews.ts';
import { decide } from '#functions/suspend-schedule/decide.ts';
import { finalizer } from '#functions/suspend-schedule/decide/finalizer.ts';
import type { SelectedObject } from '#functions/suspend-schedule/snapshot.ts';

export interface Burst {
  readonly maxJobs: number;
  /** Each Job is submitted this long after the one before it, and stored this long after its answer. */
  readonly jobs: readonly {
    readonly afterMs: number;
    readonly storedMs: number;
    readonly runsMs: number;
  }[];
  /**
   * The delays until suspend-schedule sees a stored object, until its writes are stored, and until admission sees the
   * policy.
   */
  readonly viewMs: number;
  readonly writeMs: number;
  readonly policyMs: number;
}

export interface BurstOutcome {
  readonly mostAtOnce: number;
  /** Jobs that did not run at the end. */
  readonly neverRan: number;
}

interface Stored {
  object: KubeObject;
  runsSinceMs: number | undefined;
  hasEnded: boolean;
}

const startMs = Date.parse('2026-01-05T08:00:00Z');

/** Runs the burst until nothing more happens. */
export async function runBurst(burst: Burst): Promise<BurstOutcome> {
  return new BurstRun(burst).run();
}

class BurstRun {
  readonly #burst: Burst;
  readonly #due: { readonly atMs: number; readonly act: () => void | Promise<void> }[] = [];
  readonly #jobs = new Map<string, Stored>();
  readonly #admission: Admission;
  /** The policy as admission sees it. `#policy` is the stored one. */
  #followed: SuspendPolicy;
  #policy: SuspendPolicy;
  /** Objects as suspend-schedule sees them. Its own writes are visible as soon as they are answered. */
  readonly #seen = new Map<string, KubeObject>();
  #isDeciding = false;
  #isWoken = false;
  #nowMs = startMs;
  #version = 10;
  #mostAtOnce = 0;

  constructor(burst: Burst) {
    this.#burst = burst;
    const made = policy('room', { capacity: { maxJobs: burst.maxJobs } });
    this.#policy = { ...made, metadata: { ...made.metadata, finalizers: [finalizer] } };
    this.#followed = this.#policy;
    const followed = policies(() => [this.#followed]);
    const [first] = suspendAdmissions({ policies: followed, clock: { now: () => this.#nowMs } });
    if (first === undefined) throw new Error('no admission');
    this.#admission = first;
  }

  async run(): Promise<BurstOutcome> {
    this.#look();
    let atMs = 1_000;
    for (const [index, job] of this.#burst.jobs.entries()) {
      atMs += job.afterMs;
      this.#in(atMs, () => this.#create(`burst-${index}`, job.storedMs));
    }
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#nowMs = next.atMs;
      if (this.#nowMs > startMs + 600_000) throw new Error('it does not come to rest');
      await next.act();
    }
    const neverRan = [...this.#jobs.values()].filter((job) => job.runsSinceMs === undefined).length;
    return { mostAtOnce: this.#mostAtOnce, neverRan };
  }

  #next() {
    const [first] = this.#due
      .map((each, index) => ({ ...each, index }))
      .sort((left, right) => left.atMs - right.atMs || left.index - right.index);
    if (first !== undefined) this.#due.splice(first.index, 1);
    return first;
  }

  #in(delayMs: number, act: () => void | Promise<void>): void {
    this.#due.push({ atMs: this.#nowMs + delayMs, act });
  }

  async #create(name: string, storedMs: number): Promise<void> {
    const submitted = {
      ...{ apiVersion: 'batch/v1', kind: 'Job' },
      ...{ metadata: { namespace: 'team-a', name, generation: 1 }, spec: {} },
    };
    const { allowed, ...rest } = await this.#answer(submitted);
    if (!allowed) throw new Error(`${name} was refused`);
    const admitted = ('object' in rest ? rest.object : undefined) ?? submitted;
    this.#in(storedMs, () => this.#store(name, admitted));
  }

  /** At the simulated time, which the host of admissions reads from its clock. */
  #answer(submitted: JsonObject) {
    return answer(this.#admission, creation(submitted), undefined, this.#nowMs);
  }

  #store(name: string, admitted: JsonObject): void {
    const metadata = { ...(admitted['metadata'] as JsonObject), uid: asUid(name) };
    const creationTimestamp = rfc3339(this.#nowMs);
    this.#jobs.set(name, {
      object: {
        ...admitted,
        metadata: { ...metadata, creationTimestamp },
      } as unknown as KubeObject,
      ...{ runsSinceMs: undefined, hasEnded: false },
    });
    this.#changed(name);
  }

  #changed(name: string): void {
    const job = this.#jobs.get(name);
    if (job === undefined) throw new Error(`${name} is not stored`);
    this.#version += 1;
    const resourceVersion = asResourceVersion(String(this.#version));
    const { object } = job;
    const isSuspended = (object.spec as { suspend?: boolean }).suspend === true;
    if (!isSuspended && job.runsSinceMs === undefined) {
      job.runsSinceMs = this.#nowMs;
      const { runsMs } = this.#burst.jobs[Number(name.slice('burst-'.length))]!;
      this.#in(runsMs, () => this.#end(name));
    }
    const status = {
      ...(isSuspended || job.hasEnded ? {} : { active: 1 }),
      ...(job.runsSinceMs === undefined ? {} : { startTime: rfc3339(job.runsSinceMs) }),
      ...(job.hasEnded ? { conditions: [{ type: 'Complete', status: 'True' }] } : {}),
    };
    job.object = { ...object, metadata: { ...object.metadata, resourceVersion }, status };
    const running = [...this.#jobs.values()].filter(
      (each) => !each.hasEnded && (each.object.spec as { suspend?: boolean }).suspend !== true,
    );
    this.#mostAtOnce = Math.max(this.#mostAtOnce, running.length);
    const seen = job.object;
    this.#in(this.#burst.viewMs, () => {
      this.#see(name, seen);
      this.#look();
    });
  }

  #see(name: string, object: KubeObject): void {
    const versionOf = (known: KubeObject | undefined) =>
      Number(known?.metadata.resourceVersion ?? 0);
    if (versionOf(this.#seen.get(name)) < versionOf(object)) this.#seen.set(name, object);
  }

  #end(name: string): void {
    const job = this.#jobs.get(name);
    if (job === undefined || (job.object.spec as { suspend?: boolean }).suspend === true) return;
    job.hasEnded = true;
    this.#changed(name);
  }

  /** One decision about a policy at a time. */
  #look(): void {
    this.#isWoken = this.#isDeciding;
    if (this.#isDeciding) return;
    this.#isDeciding = true;
    const objects = [...this.#seen.values()].flatMap(selected);
    const snapshot = { policy: this.#policy, rivals: [], objects, rejections: [] };
    const { plan, requeueAtMs } = decide(snapshot, { nowMs: this.#nowMs });
    this.#in(this.#burst.writeMs, () => {
      plan.flat().forEach((each) => this.#write(each));
      this.#isDeciding = false;
      if (this.#isWoken) this.#look();
    });
    const isLater = requeueAtMs !== undefined && requeueAtMs > this.#nowMs;
    if (isLater) this.#in(requeueAtMs - this.#nowMs, () => this.#look());
  }

  #write(operation: Operation): void {
    if (operation.kind === 'patchStatus') {
      const status = applyMergePatch(this.#policy.status ?? {}, operation.status);
      this.#policy = { ...this.#policy, status: status as SuspendPolicy['status'] & object };
      const seen = this.#policy;
      this.#in(this.#burst.policyMs, () => {
        this.#followed = seen;
      });
    }
    if (operation.kind !== 'patch') return;
    const { name } = operation.target;
    const job = this.#jobs.get(name);
    if (job === undefined) return;
    const { resourceVersion } = operation;
    const isStale =
      resourceVersion !== undefined && resourceVersion !== job.object.metadata.resourceVersion;
    if (isStale) return;
    const merged = applyMergePatch(job.object as unknown as Json, operation.patch);
    job.object = merged as unknown as KubeObject;
    this.#changed(name);
    this.#see(name, job.object);
  }
}

function selected(object: KubeObject): readonly SelectedObject[] {
  const found = governedObject(object);
  if (found === undefined) return [];
  return [{ ...omit(found, 'labels'), priority: 0 }];
}
