/**
 * The rules of each kind for one run. The models see every commit and every decision, and report where
 * they differ from the rules. They share no code with what they judge.
 */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { StoreEvent } from '#sandbox';
import type { RequestName } from '../world/simulated-client.ts';
import { ChildHistory } from './child-history.ts';
import type { Freedom, FreedomsUsed } from './freedom.ts';
import type { JudgedKind, KindModel, Pass, Truth } from './kind-model.ts';
import { jobController } from './job-events.ts';

export class Models {
  /** Counts how often the rules permitted another outcome than the truth would give. */
  readonly freedoms: FreedomsUsed = {};
  readonly #children = new ChildHistory();
  readonly #models: ReadonlyMap<JudgedKind, KindModel>;
  readonly #kinds: ReadonlySet<string>;

  constructor(kinds: readonly JudgedKind[]) {
    this.#models = new Map(kinds.map((kind) => [kind, kind.newModel(this.#children)]));
    this.#kinds = new Set(
      kinds.flatMap(({ fn, reportsOn = [] }) => [
        ...fn.subscription.decides.map(({ kind }) => kind),
        ...reportsOn,
      ]),
    );
  }

  /** Call it with every commit; returns the faults. */
  onChange(event: StoreEvent): readonly string[] {
    const { type, object, resourceType } = event;
    const { plural } = resourceType;
    this.#children.onChange({ type, object, plural });
    const stray = plural === 'events' && type === 'ADDED' ? this.#strayEvent(object) : [];
    return [...stray, ...[...this.#models.values()].flatMap((model) => model.onChange(event))];
  }

  #strayEvent(event: KubeObject): readonly string[] {
    const { involvedObject, source } = event as {
      readonly involvedObject?: { readonly kind?: string };
      readonly source?: { readonly component?: string };
    };
    if (source?.component === jobController) return [];
    return this.#kinds.has(involvedObject?.kind ?? '')
      ? []
      : [`model, Events: on nothing that is decided about: ${JSON.stringify(involvedObject)}`];
  }

  /** The API server refused it. */
  onRefused({ verb, resource, name }: RequestName): void {
    if (verb !== 'create' || resource.kind !== 'Event') return;
    const isKnown = [...this.#models.values()].some((model) => model.onLostEvent(name));
    if (isKnown) this.#use('lost Event');
  }

  /** The faults of a decision. */
  faultsOf(pass: Pass): readonly string[] {
    const { faults, freedoms } = this.#models.get(pass.kind)!.verdictOn(pass);
    if (pass.decision.plan.length > 0) freedoms.forEach((each) => this.#use(each));
    const { name, resourceVersion } = pass.about;
    const where = `${pass.life.name} about ${name} at ${resourceVersion}`;
    return faults.map((fault) => `${fault} (${where})`);
  }

  restFaults(truth: Truth): readonly string[] {
    return [...this.#models.values()].flatMap((model) => model.restFaults(truth));
  }

  #use(freedom: Freedom): void {
    this.freedoms[freedom] = (this.freedoms[freedom] ?? 0) + 1;
  }
}
