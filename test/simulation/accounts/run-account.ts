/** Everything that one run of an item does, as it does it; `run-faults.ts` judges it at its end. */
import type { WorkItem } from '#shared/domain/work-item.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import type { FunctionMetrics } from '#shared/runtime/function/function-metrics.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import type { JudgedKind } from '../model/kind-model.ts';
import { observed } from '../world/observed-call.ts';
import { enteredClient } from './exchange.ts';
import { newRound, type ReaderName, type Round } from './round.ts';

/** What the runs of one life have in common. */
export interface Ledger {
  readonly monotonicMs: () => number;
  /** As the process shows it, milliseconds since the epoch. */
  readonly clockMs: () => number;
  /** The next place in the order of what is sent and answered. */
  readonly tick: () => number;
  /** Runs of this process that have begun and not ended; one that is just ending may be counted. */
  readonly underWay: () => number;
  /** Whether a decision has to be recorded, as far as its time to be looked at again says so. */
  readonly isNews: (uid: string, requeueAtMs: number | undefined) => boolean;
  /** From now on a record with these very reasons is of this round. */
  readonly expects: (reasons: object, round: Round) => void;
}

export interface RunParts {
  readonly kind: JudgedKind;
  readonly fn: EventFunction;
  readonly client: KubeClient;
  readonly reader: Reader;
  readonly freshReader?: Reader;
  readonly logger: Logger;
  /** Whether its decisions are recorded. */
  readonly isRecorded: boolean;
}

export class RunAccount {
  readonly item: WorkItem;
  readonly kind: JudgedKind;
  readonly rounds: Round[] = [];
  /** What it counted and measured, as `decisions flow-advance applied`. */
  readonly counted: string[] = [];
  /** The fields of what it warned of. */
  readonly warned: Readonly<Record<string, unknown>>[] = [];
  /** The fields that its lines of the log have in common. */
  logFields: object = {};
  calledOffAt = Infinity;
  readonly fn: EventFunction;
  readonly client: KubeClient;
  readonly reader: Reader;
  readonly freshReader: Reader | undefined;
  readonly metrics: FunctionMetrics;
  readonly logger: Logger;
  readonly isRecorded: boolean;
  readonly #ledger: Ledger;
  readonly #parts: RunParts;

  constructor(item: WorkItem, signal: AbortSignal, parts: RunParts, ledger: Ledger) {
    this.item = item;
    this.kind = parts.kind;
    this.isRecorded = parts.isRecorded;
    this.#ledger = ledger;
    this.#parts = parts;
    const callOff = (): void => {
      this.calledOffAt = ledger.tick();
    };
    if (signal.aborted) callOff();
    else signal.addEventListener('abort', callOff, { once: true });
    this.fn = this.#enteredFunction(parts.fn);
    this.client = enteredClient(parts.client, {
      sends: (asked) => {
        const sent = { sentMs: ledger.clockMs(), sentAt: ledger.tick() };
        const exchange = { ...asked, ...sent, askedAtMs: ledger.monotonicMs() };
        this.#round.exchanges.push(exchange);
        return exchange;
      },
      hears: (exchange, end) => {
        exchange.end = { ...end, at: ledger.tick() };
      },
    });
    this.reader = this.#enteredReader(parts.reader, 'usual');
    this.freshReader =
      parts.freshReader === undefined ? undefined : this.#enteredReader(parts.freshReader, 'fresh');
    this.metrics = this.#enteredMetrics();
    this.logger = this.#enteredLogger();
  }

  /** What the run has to be given. */
  get parts() {
    const { fn, client, reader, freshReader, metrics, logger } = this;
    return { fn, client, reader, freshReader, metrics, logger };
  }

  /** The one that is under way; there is always one before anything is asked for. */
  get #round(): Round {
    return this.rounds.at(-1)!;
  }

  #enteredFunction(fn: EventFunction): EventFunction {
    const { monotonicMs, clockMs, tick, underWay, expects } = this.#ledger;
    return {
      subscription: fn.subscription,
      observe: (key, reader, circumstances) => {
        const round = newRound(monotonicMs());
        this.rounds.push(round);
        return observed(
          fn.observe(key, reader, circumstances),
          (snapshot) => (round.observed = { snapshot }),
          (error) => (round.observed = { error }),
        );
      },
      withRejections: (snapshot, rejections) => {
        const next = fn.withRejections(snapshot, rejections);
        this.#tells(next, rejections);
        return next;
      },
      withWarnings: (snapshot, warnings) => {
        const next = fn.withWarnings(snapshot, warnings);
        this.#tells(next, warnings);
        return next;
      },
      takesForAbsent: (...decided) => fn.takesForAbsent?.(...decided),
      decide: (snapshot, input) => {
        const decided = fn.decide(snapshot, input);
        // A list of its own, by which its record is known.
        const decision = { ...decided, reasons: [...decided.reasons] };
        const times = { clockMs: clockMs(), atMs: monotonicMs(), at: tick(), underWay: underWay() };
        this.#round.decided = { snapshot, input, decision, ...times };
        expects(decision.reasons, this.#round);
        return decision;
      },
    };
  }

  #tells(next: unknown, told: Round['told'][number]): void {
    this.#round.told.push(told);
    this.#round.observed = { snapshot: next };
  }

  #enteredReader(reader: Reader, by: ReaderName): Reader {
    const { key } = this.item;
    return {
      get: (kind, name, ...meant) => {
        const round = this.#round;
        const answer = reader.get(kind, name, ...meant);
        const isTheOne = kind.kind === key.kind && name.name === key.name;
        if (round.decided !== undefined) return this.#entersLook(round, by, answer);
        round.readBy.add(by);
        if (!isTheOne || name.namespace !== key.namespace) return answer;
        // The first read waits until the views have been looked at.
        const isFirst = round.seen === undefined;
        const askedAtMs = (isFirst ? round.openedAtMs : undefined) ?? this.#ledger.monotonicMs();
        return observed(
          answer,
          (object) => {
            const version = object?.metadata.resourceVersion;
            const servedAtMs = object && reader.servedAtMs?.(object);
            const isOfThisRun = servedAtMs !== undefined && servedAtMs >= askedAtMs;
            round.seen = { askedAtMs, version, servedAtMs: isOfThisRun ? servedAtMs : undefined };
          },
          () => undefined,
        );
      },
      list: (...asked) => {
        this.#round.readBy.add(by);
        return reader.list(...asked);
      },
      listByOwner: (...asked) => {
        this.#round.readBy.add(by);
        return reader.listByOwner(...asked);
      },
      listByOwners: (...asked) => {
        this.#round.readBy.add(by);
        return reader.listByOwners(...asked);
      },
      eventsAbout: async (...asked) => {
        this.#round.readBy.add(by);
        return (await reader.eventsAbout?.(...asked)) ?? [];
      },
      currentAsOfMs: (resource) => {
        const asOfMs = reader.currentAsOfMs?.(resource) ?? -Infinity;
        this.#round.asOf.set(resource.kind, asOfMs);
        return asOfMs;
      },
      onceThere: (...asked) => reader.onceThere?.(...asked),
      ofOneMoment: async (root) => {
        this.#round.openedAtMs ??= this.#ledger.monotonicMs();
        const atOnce = await reader.ofOneMoment?.(root);
        return this.#enteredReader(atOnce ?? reader, by);
      },
      servedAtMs: (object) => reader.servedAtMs?.(object),
    };
  }

  #entersLook(round: Round, by: ReaderName, answer: ReturnType<Reader['get']>) {
    const { monotonicMs, tick } = this.#ledger;
    const look: Round['looks'][number] = { by, askedAt: tick(), askedAtMs: monotonicMs() };
    round.looks.push(look);
    return observed(
      answer,
      (object) => (look.answer = { object, at: tick(), atMs: monotonicMs() }),
      (error) => (look.answer = { error, at: tick(), atMs: monotonicMs() }),
    );
  }

  #enteredMetrics(): FunctionMetrics {
    const inc = (metric: string) => ({
      inc: (labels: Readonly<Record<string, string>>, by = 1) => {
        for (let times = 0; times < by; times += 1) this.counted.push(countOf(metric, labels));
      },
    });
    const steps = {
      observe: (labels: Readonly<Record<string, string>>, seconds: number) => {
        const round = this.#round;
        const requeueAtMs = round.decided?.decision.requeueAtMs;
        // Right before it is recorded, if it is.
        round.endedMs ??= this.#ledger.monotonicMs();
        round.isNews ??= this.#ledger.isNews(this.item.key.uid, requeueAtMs);
        this.counted.push(`${countOf('steps', labels)} ${seconds}`);
      },
    };
    return {
      decisions: inc('decisions'),
      steps,
      writes: inc('writes'),
      journalFailures: inc('journalFailures'),
    } as unknown as FunctionMetrics;
  }

  #enteredLogger(): Logger {
    const { logger } = this.#parts;
    const warn = (fields: Readonly<Record<string, unknown>>, message: string): void => {
      this.warned.push(fields);
      logger.warn(fields, message);
    };
    const entered = {
      debug: (...line: readonly [object, string]) => logger.debug(...line),
      info: (...line: readonly [object, string]) => logger.info(...line),
      warn,
      error: warn,
      child: (fields: object) => {
        this.logFields = { ...this.logFields, ...fields };
        return entered;
      },
    };
    return entered as unknown as Logger;
  }
}

type CountLabels = Readonly<Record<string, string>>;

/** One text for one metric and its labels, cheaply: there are many of them. */
export function countOf(metric: string, labels: CountLabels): string {
  const { function: name, outcome = '', step = '', done = '', resource = '' } = labels;
  return `${metric} ${name} ${outcome}${step}${done} ${resource}`;
}
