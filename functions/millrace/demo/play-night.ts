/** Shows a night under a suspend policy, and the days around it, line by line. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import type { WaitingClock } from '#shared/domain/clock.ts';
import { fieldsOf, listOf } from '#shared/domain/json-value.ts';
import type { Json, KubeObject, NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { Reflector } from '#shared/kube/reflector.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { exampleFolder } from './catalogue.ts';
import { failAfter } from './fail-after.ts';

export interface PlayNightOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** The clock of the sandbox. */
  readonly clock: WaitingClock;
  readonly print: (line: string) => void;
  /** In real time. */
  readonly timeoutMs: number;
  /** Aborts with the reason to throw. */
  readonly signal: AbortSignal;
}

/** Longer than the demo, in seconds of the sandbox. */
const longestWatch = 90 * 86_400;

/** Duration of each part of the calculation. All of them do not fit into one night. */
const partSeconds = 5_400;

/** Resolves when the Job has ended. Throws CommandFailure if that takes too long. */
export async function playNight(options: PlayNightOptions): Promise<void> {
  const { client, namespace, signal, timeoutMs } = options;
  for (const object of await nightExample()) {
    const resource = object.kind === 'Job' ? resources.Job : resources.SuspendPolicy;
    await client.create(resource, { ...object, metadata: { ...object.metadata, namespace } });
  }
  const stop = new AbortController();
  const ended = Promise.withResolvers<true>();
  const story = new Story(options, () => ended.resolve(true));
  const common = { client, namespace, clock: systemClock, random: Math.random };
  // The sandbox ends watches by its own fast clock.
  const times = { watchSeconds: [longestWatch, longestWatch] as const };
  const following = [resources.Job, resources.SuspendPolicy].map((resource) =>
    new Reflector({
      ...{ ...common, times, resource },
      deliver: async (changes) => changes.forEach(({ object }) => story.show(object)),
    }).run(stop.signal),
  );
  try {
    const failure = 'the night is not over';
    const next = 'millrace demo night --timeout 300';
    const late = failAfter({ timeoutMs, failure, next, signal }, stop.signal);
    await Promise.race([ended.promise, late]);
  } finally {
    stop.abort();
    await Promise.all(following);
  }
}

/** The shipped example, with a calculation that does not end in one night. */
async function nightExample(): Promise<readonly NewObject[]> {
  const text = await readFile(join(exampleFolder, 'suspend-nights.yaml'), 'utf8');
  return parseAllDocuments(text.replace("'100'", `'${partSeconds}'`)).map(
    (document) => document.toJS() as NewObject,
  );
}

/** Prints changes with the time of the sandbox. */
class Story {
  readonly #options: PlayNightOptions;
  readonly #ended: () => void;
  #state: string | undefined;
  #standing: string | undefined;

  constructor(options: PlayNightOptions, ended: () => void) {
    this.#options = options;
    this.#ended = ended;
  }

  show(object: KubeObject): void {
    if (object.kind === resources.SuspendPolicy.kind) this.#showPolicy(object as SuspendPolicy);
    else this.#showJob(object);
  }

  #showPolicy({ metadata, status }: Pick<SuspendPolicy, 'metadata' | 'status'>): void {
    const { state, nextTransition = 'never' } = status ?? {};
    if (state === undefined || state === this.#state) return;
    this.#state = state;
    this.#say(`${metadata.name} is ${state.toLowerCase()} until ${nextTransition}`);
  }

  #showJob({ metadata, spec, status }: KubeObject): void {
    const { completions = 0 } = fieldsOf(spec);
    const { succeeded = 0, conditions } = fieldsOf(status);
    const done = `${JSON.stringify(succeeded)} of ${JSON.stringify(completions)} parts done`;
    const isOver = hasCondition(conditions, 'Complete');
    const suspended = fieldsOf(spec)['suspend'] === true;
    const standing = isOver ? 'has ended' : suspended ? 'is held' : 'runs';
    if (standing === this.#standing) return;
    this.#standing = standing;
    this.#say(`${metadata.name} ${standing}: ${done}`);
    if (isOver) this.#ended();
  }

  #say(what: string): void {
    this.#options.print(`${localTime(this.#options.clock.now())}  ${what}`);
  }
}

const berlin = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Berlin',
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

function localTime(ms: number): string {
  return berlin.format(ms).replace(',', '');
}

function hasCondition(conditions: Json | undefined, wanted: string): boolean {
  return listOf(conditions)
    .map(fieldsOf)
    .some(({ type, status }) => type === wanted && status === 'True');
}
