/** `millrace invoke FUNCTION`: sends one event to a function and reports the result. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Agent } from 'undici';
import { subscriptions } from '#functions/list.ts';
import {
  functionMessage,
  post,
  type Signing,
  structuredMessage,
} from '#functions/dispatcher/function-message.ts';
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import type { ObjectKey } from '#shared/domain/objects.ts';
import type { BinaryMessage } from '#shared/events/binary-message.ts';
import { parseDeliveryKeys } from '#shared/events/delivery-signature.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import {
  exitCodeOf,
  type Outcome,
  outcomeOfAnswer,
  outcomeOfFailure,
  outcomeText,
} from '../invoke/outcome.ts';
import type { InvocationAnswer, InvocationRequest } from '../invoke/invocation-schema.ts';
import { sampleEvent } from '../invoke/sample-event.ts';
import { requireFunction } from '../journal/require-function.ts';
import { openCluster, type OpenedCluster } from '../open-cluster.ts';
import { jsonLine } from '../terminal/json-line.ts';
import type { InvokeOptions } from './invoke-options.ts';

type Say = (line: string) => void;

interface Invocation {
  /** Absent: the event was given, and the function resolves its object. */
  readonly object?: ObjectKey;
  /** The id of the event. Absent: the given event has none. */
  readonly event?: string;
  readonly message: BinaryMessage;
}

interface Target {
  readonly url: URL;
  /** Headers that authenticate the caller. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** Returns the exit code. Throws CommandFailure, MR_DELIVERY_KEY_INVALID and errors of reading the object. */
export async function invoke(
  name: string,
  what: string | undefined,
  options: InvokeOptions,
  say: Say,
): Promise<number> {
  requireFunction(name);
  requireOneEvent(name, what, options);
  const signing = await signingOf(options);
  const isOffline = what === undefined && options.url !== undefined;
  await using cluster = isOffline ? undefined : await openCluster(options, 'invoke');
  const target = await targetOf(name, options, cluster);
  const invocation =
    what === undefined || cluster === undefined
      ? await givenEvent(options.event ?? '-', signing)
      : await sample(name, what, cluster, signing);
  if (options.dryRun === true) {
    show(target, invocation.message, options, say);
    return 0;
  }
  const outcome = await send(target, invocation.message, options);
  report(name, invocation, outcome, options, say);
  return exitCodeOf[outcome.verdict];
}

function requireOneEvent(
  name: string,
  what: string | undefined,
  { event, url, keyFile }: InvokeOptions,
): void {
  const refuse = (message: string, next: string): never => {
    throw new CommandFailure(exitCodes.usage, message, next);
  };
  if (what === undefined && event === undefined) {
    refuse('nothing is named that the event is about', `millrace invoke ${name} KIND/NAME`);
  }
  if (what !== undefined && event !== undefined) {
    refuse(`both ${what} and the event of --event are given`, 'leave out one of them');
  }
  if (keyFile !== undefined && url === undefined) {
    refuse(
      '--key-file is without --url: a `millrace up` takes no signature',
      'add --url or leave it out',
    );
  }
}

async function signingOf({ keyFile }: InvokeOptions): Promise<Signing | undefined> {
  if (keyFile === undefined) return undefined;
  const keys = parseDeliveryKeys(await readFile(keyFile, 'utf8'), keyFile);
  return { keys, atMs: Date.now() };
}

async function targetOf(
  name: string,
  { url }: InvokeOptions,
  cluster: OpenedCluster | undefined,
): Promise<Target> {
  if (url !== undefined) return { url, credentials: {} };
  if (cluster?.control === undefined) {
    throw new CommandFailure(
      exitCodes.usage,
      `it is not known where ${name} listens: this cluster is no \`millrace up\``,
      'add --url http://HOST:PORT',
    );
  }
  const credentials = (await cluster.connection.headers()) as Record<string, string>;
  return { url: new URL(`${cluster.control}/functions/${name}`), credentials };
}

async function sample(
  name: string,
  what: string,
  cluster: OpenedCluster,
  signing: Signing | undefined,
): Promise<Invocation> {
  const subscription = subscriptions.find((each) => each.name === name);
  if (subscription === undefined) throw new TypeError(`${name} was required before`);
  const { event, key } = await sampleEvent(subscription, what, cluster);
  return { object: key, event: event.id, message: functionMessage(event, signing) };
}

/** The event is sent as it is. The function validates it. */
async function givenEvent(file: string, signing: Signing | undefined): Promise<Invocation> {
  const body = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  const id = idIn(body);
  if (id === '' && signing !== undefined) {
    throw new CommandFailure(
      exitCodes.invalidInput,
      `${file} is no event with an id, which a signature covers`,
      'give it an id, or leave out --key-file',
    );
  }
  const message = structuredMessage(body, signing && { ...signing, id });
  return { ...(id === '' ? {} : { event: id }), message };
}

/** Empty: there is no id. */
function idIn(body: string): string {
  try {
    return textOf(fieldsOf(JSON.parse(body))['id']);
  } catch {
    return '';
  }
}

async function send(
  { url, credentials }: Target,
  { headers, body }: BinaryMessage,
  { timeout }: InvokeOptions,
): Promise<Outcome> {
  const agent = new Agent({ connectTimeout: Math.min(5, timeout) * 1_000 });
  const message = { headers: { ...headers, ...credentials }, body };
  try {
    const answer = await post(message, { url, dispatcher: agent, timeoutMs: timeout * 1_000 });
    return outcomeOfAnswer(answer, Date.now());
  } catch (error) {
    return outcomeOfFailure(error, timeout);
  } finally {
    await agent.destroy();
  }
}

function show(
  { url, credentials }: Target,
  message: BinaryMessage,
  { output }: InvokeOptions,
  say: Say,
): void {
  const hidden = Object.keys(credentials).map((header) => [header, '(from the kubeconfig)']);
  const headers = { ...message.headers, ...Object.fromEntries(hidden) } as Record<string, string>;
  const body = String(message.body);
  if (output === 'json') {
    say(jsonLine({ method: 'POST', url: url.href, headers, body } satisfies InvocationRequest));
    return;
  }
  say(`POST ${url.href}`);
  for (const [header, value] of Object.entries(headers)) say(`${header}: ${value}`);
  say('');
  for (const line of body.split('\n')) say(line);
}

function report(
  name: string,
  { message: _, ...invoked }: Invocation,
  outcome: Outcome,
  { output }: InvokeOptions,
  say: Say,
): void {
  if (output === 'json') {
    say(jsonLine({ function: name, ...invoked, ...outcome } satisfies InvocationAnswer));
    return;
  }
  const { object, event } = invoked;
  const { kind = '', namespace = '', name: called = '' } = object ?? {};
  const about = [kind, namespace, called].filter((part) => part !== '').join('/');
  const by = event === undefined ? '' : `(event ${event})`;
  say([name, about, by, outcomeText(outcome)].filter((part) => part !== '').join(' '));
  if (outcome.next !== undefined) process.stderr.write(`next: ${outcome.next}\n`);
}
