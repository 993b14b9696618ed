/** `millrace logs NAME`: the output of all Pods of an object, each line with its step or node. */
import { hasCode } from '#shared/domain/errors.ts';
import { labels } from '#shared/domain/labels.ts';
import { type KubeObject, objectName } from '#shared/domain/objects.ts';
import { printable } from '#shared/domain/printable.ts';
import { resources } from '#shared/domain/resources.ts';
import { userAgentOf } from '#shared/kube/http-client.ts';
import { PodLogs } from '#shared/kube/pod-log.ts';
import { Reflector } from '#shared/kube/reflector.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { underEither } from '#shared/domain/under-either.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { findOne } from '../find-named.ts';
import { interruption } from '../interruption.ts';
import { type Children, childrenOf, LaterChildren } from '../logs/children-of.ts';
import { containersOf } from '../logs/containers-of.ts';
import { LogPainter } from '../logs/log-line.ts';
import { loggedKinds, type LoggedKind, requireKnownPart } from '../logs/log-sources.ts';
import { openCluster, type OpenedCluster } from '../open-cluster.ts';
import { followObject } from '../picture/follow.ts';
import { appearanceOf } from '../terminal/appearance.ts';
import { renderLine } from '../terminal/line.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { hasEnded } from '../why/conditions.ts';
import { listed, millrace } from '../why/surroundings.ts';
import type { LogsOptions } from './logs-options.ts';

/** With `follow`, until the object and all its containers have ended. Throws CommandFailure. */
export async function logs(what: string, options: LogsOptions): Promise<void> {
  const interrupted = interruption();
  await using cluster = await openCluster(options, 'logs');
  const { kind, object, named } = await findOne(what, loggedKinds, cluster);
  const part = options.step ?? named.part;
  requireKnownPart(kind, object, part);
  const printer = new LogPrinter(options, cluster);
  const find = () => childrenOf(kind, object, cluster);
  const children = await find();
  if (options.follow === true) {
    await hintWithoutPods(what, object, children, cluster);
    const later = new LaterChildren(children, kind, find);
    await followLogs({ kind, object, later, part }, printer, cluster, interrupted);
    return;
  }
  const { labelSelector, partOf } = children;
  const pods = await listed(cluster, resources.Pod, object.metadata.namespace, { labelSelector });
  const isMeant = (pod: KubeObject): boolean => part === undefined || partOf(pod) === part;
  const meant = pods.filter(isMeant).sort(byCreation);
  if (meant.length === 0) throw nothingRan(named.name, part, pods.map(partOf));
  requireContainer(what, options.container, meant);
  for (const pod of meant) await printer.print(pod, partOf(pod), interrupted);
}

/** Throws CommandFailure if none of the Pods has the container. */
function requireContainer(
  what: string,
  container: string | undefined,
  pods: readonly KubeObject[],
): void {
  const names = [...new Set(pods.flatMap(containersOf).map(({ name }) => name))];
  if (container === undefined || names.includes(container)) return;
  throw new CommandFailure(
    exitCodes.notFound,
    `no Pod of ${what} has a container ${container}; there are ${names.join(', ')}`,
    `millrace logs ${what}`,
  );
}

/** Nothing is printed before the first Pod, which may be long. */
async function hintWithoutPods(
  what: string,
  { metadata: { namespace } }: KubeObject,
  { labelSelector }: Children,
  cluster: OpenedCluster,
): Promise<void> {
  const pods = await listed(cluster, resources.Pod, namespace, { labelSelector });
  if (pods.length > 0) return;
  const where = namespace === cluster.connection.namespace ? '' : ` -n ${namespace}`;
  process.stderr.write(`there is no Pod of ${what} yet\n`);
  process.stderr.write(`next: ${millrace(cluster, `why ${shellWord(what)}${where}`)}\n`);
}

function nothingRan(
  what: string,
  part: string | undefined,
  parts: readonly string[],
): CommandFailure {
  const known = [...new Set(parts)].filter((each) => each !== '').sort();
  const others = known.length === 0 ? '' : `; there are Pods of ${known.join(', ')}`;
  const about = part === undefined ? what : `${part} of ${what}`;
  return new CommandFailure(
    exitCodes.notFound,
    `there is no Pod of ${about}${others}`,
    `millrace why ${what}`,
  );
}

function byCreation(left: KubeObject, right: KubeObject): number {
  const [early = '', late = ''] = [left, right].map(({ metadata }) => metadata.creationTimestamp);
  return early < late ? -1 : early > late ? 1 : 0;
}

interface Followed {
  readonly kind: LoggedKind;
  readonly object: KubeObject;
  readonly later: LaterChildren;
  /** Absent: all parts. */
  readonly part: string | undefined;
}

async function followLogs(
  { kind, object, later, part: wanted }: Followed,
  printer: LogPrinter,
  { client }: OpenedCluster,
  interrupted: AbortSignal,
): Promise<void> {
  const { namespace } = objectName(object.metadata);
  const { labelSelector } = later;
  const stop = new AbortController();
  await underEither([interrupted, stop.signal], async (either) => {
    const follow = async (pod: KubeObject): Promise<void> => {
      const part = await later.partOf(pod);
      if (part === undefined || (wanted !== undefined && part !== wanted)) return;
      printer.follow(pod, part, either);
    };
    const common = { client, clock: systemClock, random: Math.random };
    const pods = new Reflector({
      ...{ ...common, namespace, resource: resources.Pod, labelSelector },
      deliver: async (changes) => {
        for (const { type, object: pod } of changes) if (type === 'changed') await follow(pod);
      },
    });
    const ended = Promise.withResolvers<undefined>();
    const watched = {
      ...{ ...common, resource: kind.resource, object },
      onChange: (latest: KubeObject | undefined) => {
        if (latest === undefined || hasEnded(latest)) ended.resolve(undefined);
      },
    };
    const running = Promise.all([pods.run(either), followObject(watched, either)]);
    await Promise.race([ended.promise, running]);
    if (!either.aborted) {
      // The watch of the Pods may be behind that of the object.
      const { items } = await client.list(resources.Pod, { namespace, labelSelector });
      for (const pod of items) await follow(pod);
      await printer.settled();
    }
    stop.abort();
    await running;
  });
  interrupted.throwIfAborted();
}

/** Prints the logs of containers, each container once. */
class LogPrinter {
  readonly #options: LogsOptions;
  readonly #logs: PodLogs;
  readonly #painter = new LogPainter();
  readonly #appearance;
  readonly #open = new Map<string, Promise<void>>();

  constructor(options: LogsOptions, { connection }: Pick<OpenedCluster, 'connection'>) {
    this.#options = options;
    this.#logs = new PodLogs({ connection, userAgent: userAgentOf(packageJson.version, 'logs') });
    this.#appearance = appearanceOf(process.stdout, options, process.env);
  }

  /** Prints what has been written so far. */
  async print(pod: KubeObject, part: string, signal: AbortSignal): Promise<void> {
    for (const container of this.#wanted(pod)) await this.#print(pod, part, container, signal);
  }

  /** Prints until the containers end. A further call for the same Pod adds containers that have started since. */
  follow(pod: KubeObject, part: string, signal: AbortSignal): void {
    for (const container of this.#wanted(pod)) {
      const key = `${pod.metadata.uid}/${container}`;
      if (this.#open.has(key)) continue;
      const printed = this.#print(pod, part, container, signal);
      this.#open.set(key, printed);
    }
  }

  /** Resolves when everything that is followed has ended. Throws the error that interrupted one of them. */
  async settled(): Promise<void> {
    await Promise.all(this.#open.values());
  }

  #wanted(pod: KubeObject): readonly string[] {
    const { container } = this.#options;
    return containersOf(pod)
      .filter(({ name, hasLog }) => hasLog && (container === undefined || name === container))
      .map(({ name }) => name);
  }

  async #print(
    pod: KubeObject,
    part: string,
    container: string,
    signal: AbortSignal,
  ): Promise<void> {
    const {
      follow = false,
      previous = false,
      timestamps = false,
      tail,
      since,
      grep,
    } = this.#options;
    const request = {
      ...{ ...objectName(pod.metadata), container, follow, previous, timestamps },
      ...(tail === undefined ? {} : { tailLines: tail }),
      ...(since === undefined ? {} : { sinceSeconds: since }),
    };
    const source = sourceOf(pod, part, container);
    try {
      for await (const text of this.#logs.lines(request, signal)) {
        if (grep !== undefined && !grep.test(text)) continue;
        const line = this.#painter.line(part, source, text);
        process.stdout.write(`${renderLine(line, this.#appearance)}\n`);
      }
    } catch (error) {
      // The Pod, or the container before the last restart, is gone or never existed.
      const isGone = hasCode(error, 'MR_API_NOT_FOUND') || hasCode(error, 'MR_API_INVALID');
      if (!isGone) throw error;
      process.stderr.write(`${source || pod.metadata.name}: ${printable(error.message)}\n`);
    }
  }
}

/** For example `load`, or `load-r2` for its second retry. With the container if the Pod has several. */
function sourceOf(pod: KubeObject, part: string, container: string): string {
  const attempt = pod.metadata.labels?.[labels.attempt] ?? '0';
  const called = `${part}${attempt === '0' ? '' : `-r${attempt}`}`;
  if (containersOf(pod).length < 2) return called;
  return called === '' ? container : `${called}/${container}`;
}
