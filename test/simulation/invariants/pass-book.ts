/** The latest decisions of each process, and what it could know about the decided object. */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';
import type { Pass } from '../model/kind-model.ts';
import type { Life, Timeline } from '../world/timeline.ts';

/** A confirmed state counts as current for this time, in milliseconds. */
const believedMs = 1_000;

/** Decisions kept per process and object. */
const rememberedPasses = 64;

/**
 * More decisions on one version of an object in this window are a hot loop (virtual milliseconds). A late
 * watch that delivers a whole history at once causes some forty.
 */
const mostPassesPerWindow = 120;
const paceWindowMs = 10_000;

interface Pace {
  readonly version: string;
  readonly sinceMs: number;
  passes: number;
}

export class PassBook {
  readonly #timeline: Timeline;
  readonly #passes = new Map<string, Pass[]>();
  readonly #known = new Map<string, string>();
  /** When the server last sent a process this version of an object. */
  readonly #answeredAtMs = new Map<string, number>();
  /** By uid and version of an object. */
  readonly #superseded = new Map<string, number>();
  readonly #paces = new Map<string, Pace>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** The server has answered with this version. */
  answered(life: Life, { metadata: { uid, resourceVersion } }: KubeObject): void {
    this.#answeredAtMs.set(`${life.name}/${uid}/${resourceVersion}`, this.#timeline.nowMs);
  }

  /** The process has written this version under this manager and knows it. */
  knows(life: Life, manager: string, { metadata: { uid, resourceVersion } }: KubeObject): void {
    this.#known.set(`${life.name}/${manager}/${uid}`, resourceVersion);
  }

  knownVersion(life: Life, manager: string, uid: string): string | undefined {
    return this.#known.get(`${life.name}/${manager}/${uid}`);
  }

  /** It is no longer the last version. */
  superseded({ metadata: { uid, resourceVersion } }: KubeObject): void {
    this.#superseded.set(`${uid}/${resourceVersion}`, this.#timeline.nowMs);
  }

  /** Enters a decision and returns its faults. */
  enter(pass: Pass): readonly string[] {
    const { uid, resourceVersion } = pass.about;
    const key = `${pass.life.name}/${uid}`;
    const passes = this.#passes.get(key) ?? [];
    passes.push(pass);
    if (passes.length > rememberedPasses) passes.shift();
    this.#passes.set(key, passes);
    const { known } = pass;
    const isBehind = known !== undefined && Number(resourceVersion) < Number(known);
    return [
      ...(isBehind
        ? [`read-your-writes: decided on ${resourceVersion}, had written ${known}`]
        : []),
      ...this.#paceFaults(pass),
    ];
  }

  /** I10: no hot loop. Many events may meet one version of an object, but not that many. */
  #paceFaults({ about: { name, uid, resourceVersion } }: Pass): readonly string[] {
    const nowMs = this.#timeline.nowMs;
    let pace = this.#paces.get(uid);
    if (pace?.version !== resourceVersion || nowMs - pace.sinceMs > paceWindowMs) {
      pace = { version: resourceVersion, sinceMs: nowMs, passes: 0 };
      this.#paces.set(uid, pace);
    }
    pace.passes += 1;
    if (pace.passes !== mostPassesPerWindow) return [];
    return [`I10: ${name} was decided ${pace.passes} times as it was at ${resourceVersion}`];
  }

  /** A process's decisions about an object that contain such an operation. */
  passesOf(
    life: Life | undefined,
    uid: string,
    asksFor: (operation: Operation) => boolean,
  ): readonly Pass[] {
    const passes = this.#passes.get(`${life?.name ?? ''}/${uid}`) ?? [];
    return passes.filter(({ decision }) => decision.plan.some((stage) => stage.some(asksFor)));
  }

  /** Whether any decision of a process contains such an operation. */
  anyPassOf(life: Life, asksFor: (operation: Operation) => boolean): boolean {
    return [...this.#passes].some(
      ([key, passes]) =>
        key.startsWith(`${life.name}/`) &&
        passes.some(({ decision }) => decision.plan.some((stage) => stage.some(asksFor))),
    );
  }

  /** When the decided version was superseded. Undefined: it is still the last one. */
  supersededAtMs(pass: Pass | undefined): number | undefined {
    const { uid, resourceVersion } = pass?.about ?? {};
    return this.#superseded.get(`${uid}/${resourceVersion}`);
  }

  /**
   * When the server last confirmed that the decided version is current. A view with an own write of a
   * moment ago holds everything from before that. The process cannot know changes after its read, while
   * other reads were running.
   */
  confirmedAtMs(pass: Pass | undefined): number | undefined {
    if (pass === undefined) return undefined;
    const answeredAtMs = this.answeredAtMs(pass);
    if (!pass.readsViews) return answeredAtMs;
    return Math.max(answeredAtMs ?? -Infinity, lookedAtMs(pass));
  }

  /**
   * When the server answered with the decided version. This is since it began to observe, or in a pass of
   * the same process a moment ago.
   */
  answeredAtMs(pass: Pass): number | undefined {
    const { life, about } = pass;
    const answeredAtMs = this.#answeredAtMs.get(
      `${life.name}/${about.uid}/${about.resourceVersion}`,
    );
    return answeredAtMs !== undefined && answeredAtMs >= lookedAtMs(pass)
      ? answeredAtMs
      : undefined;
  }
}

/** It must know everything committed until then, in virtual milliseconds. */
export function lookedAtMs({ sinceMs, decidedAtMs }: Pass): number {
  return Math.min(sinceMs, decidedAtMs - believedMs);
}
