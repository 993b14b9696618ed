/** The environment that a ContainerSource or SinkBinding of Knative passes to the containers of a source. */
import { X509Certificate } from 'node:crypto';
import Type from 'typebox';
import { MillraceError } from '#shared/domain/errors.ts';
import { isObject } from '#shared/domain/json-value.ts';
import type { Json } from '#shared/domain/objects.ts';
import { setOwnMember } from '#shared/domain/own-member.ts';
import { contextAttributes } from '#shared/events/attributes.ts';
import { dueExtensions } from '#shared/events/due-event.ts';
import { stateExtensions } from '#shared/events/state-event.ts';

export const sinkSettings = {
  sinkUrl: Type.Optional(
    Type.String({
      env: ['K_SINK'],
      pattern: '^https?://',
      description:
        'Where work goes as CloudEvents, by POST: a broker of Knative Eventing. A ContainerSource sets it. Absent: to the queue in Redis.',
    }),
  ),
  sinkOverrides: Type.Optional(
    Type.String({
      env: ['K_CE_OVERRIDES'],
      description:
        'Extensions that each of these events gets: a JSON object with `extensions`, names to texts. A ContainerSource sets it from `spec.ceOverrides`.',
    }),
  ),
  eventsTo: Type.Optional(
    Type.String({
      env: ['MILLRACE_EVENTS_TO'],
      pattern: '^(https?://.*|K_SINK)$',
      description:
        'Where a CloudEvent is sent, by POST, for each change of the state of a flow, of a step and of the other kinds (docs/reference/events.md). `K_SINK`: to the sink that K_SINK names, as a SinkBinding of Knative sets it, which then gets these events and no work. Absent: no such event is sent.',
    }),
  ),
  sinkAuthorities: Type.Optional(
    Type.String({
      env: ['K_CA_CERTS'],
      description:
        'Authorities, beside those that Node knows, that the certificate of an https:// sink may come from, PEM. A ContainerSource sets it.',
    }),
  ),
} as const;

export interface SinkSettings {
  readonly sinkUrl?: string;
  readonly sinkOverrides?: string;
  readonly sinkAuthorities?: string;
  readonly eventsTo?: string;
}

export interface SinkAddress {
  readonly url: URL;
  /** Attributes that are added to every event, by name. */
  readonly extensions: Readonly<Record<string, string>>;
  /** PEM. */
  readonly authorities?: string;
}

export interface Sinks {
  /** Receives work items instead of the queue. */
  readonly work?: SinkAddress;
  /** Receives state events. */
  readonly states?: SinkAddress;
}

/** Empty if no sink is set. Throws MR_CONFIG_INVALID, which names every fault. */
export function sinksOf(settings: SinkSettings): Sinks {
  const { sinkUrl, sinkOverrides, sinkAuthorities: authorities, eventsTo } = settings;
  if (sinkUrl === undefined && eventsTo === undefined) return {};
  const faults: string[] = [];
  const urlIn = (variable: string, text: string | undefined): URL | undefined => {
    const url = text === undefined ? null : URL.parse(text);
    if (text !== undefined && url === null) {
      faults.push(`${variable}: ${JSON.stringify(text)} is no URL`);
    }
    return url ?? undefined;
  };
  const injected = urlIn('K_SINK', sinkUrl);
  const extensions = sinkOverrides === undefined ? {} : extensionsIn(sinkOverrides, faults);
  if (authorities !== undefined && !isCertificate(authorities)) {
    faults.push('K_CA_CERTS: its value is no certificate in PEM');
  }
  const isForStates = eventsTo === 'K_SINK';
  if (isForStates && sinkUrl === undefined) {
    faults.push('MILLRACE_EVENTS_TO: K_SINK is not set; a SinkBinding of Knative sets it');
  }
  const work = isForStates ? undefined : injected;
  const states = isForStates ? injected : urlIn('MILLRACE_EVENTS_TO', eventsTo);
  if (faults.length > 0)
    throw new MillraceError('MR_CONFIG_INVALID', { faults: faults.join('; ') });
  const common = { extensions, ...(authorities === undefined ? {} : { authorities }) };
  return {
    ...(work === undefined ? {} : { work: { url: work, ...common } }),
    ...(states === undefined ? {} : { states: { url: states, ...common } }),
  };
}

/** Ignores members other than `extensions`, as the SDKs of Knative do. */
function extensionsIn(text: string, faults: string[]): Readonly<Record<string, string>> {
  const fault = (words: string): void => {
    faults.push(`K_CE_OVERRIDES (spec.ceOverrides of the source): ${words}`);
  };
  const overrides = parsed(text);
  if (!isObject(overrides)) {
    fault(`${JSON.stringify(text)} is no JSON object`);
    return {};
  }
  const { extensions = {} } = overrides;
  if (!isObject(extensions)) {
    fault('extensions is no JSON object');
    return {};
  }
  const taken: Record<string, string> = {};
  for (const [name, value] of Object.entries(extensions)) {
    const wrong = faultOf(name, value);
    if (wrong !== undefined) fault(`extensions.${name} ${wrong}`);
    else if (typeof value === 'string') setOwnMember(taken, name, value);
  }
  return taken;
}

/** Attributes that name the event's object. A function refuses an event in which they differ from its data. */
const reserved: ReadonlySet<string> = new Set([
  ...contextAttributes,
  ...Object.keys(dueExtensions),
  ...Object.keys(stateExtensions),
  'data',
]);

function faultOf(name: string, value: Json | undefined): string | undefined {
  if (!/^[a-z0-9]{1,20}$/.test(name)) return 'is no name of 1 to 20 lower-case letters and digits';
  if (reserved.has(name)) return 'is an attribute that these events have already';
  return typeof value === 'string' ? undefined : 'is no text';
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function isCertificate(pem: string): boolean {
  try {
    void new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
