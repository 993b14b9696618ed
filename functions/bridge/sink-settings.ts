/** What a ContainerSource or SinkBinding of Knative tells the containers of a source. */
import { X509Certificate } from 'node:crypto';
import Type from 'typebox';
import { MillraceError } from '#shared/domain/errors.ts';
import { isObject } from '#shared/domain/json-value.ts';
import type { Json } from '#shared/domain/objects.ts';
import { setOwnMember } from '#shared/domain/own-member.ts';
import { contextAttributes } from '#shared/events/attributes.ts';
import { dueExtensions } from '#shared/events/due-event.ts';

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
}

export interface SinkAddress {
  readonly url: URL;
  /** Of every event, by name. */
  readonly extensions: Readonly<Record<string, string>>;
  /** PEM. */
  readonly authorities?: string;
}

/** Undefined where no sink is set. Throws MR_CONFIG_INVALID that names every fault. */
export function sinkOf(settings: SinkSettings): SinkAddress | undefined {
  const { sinkUrl, sinkOverrides, sinkAuthorities: authorities } = settings;
  if (sinkUrl === undefined) return undefined;
  const faults: string[] = [];
  const url = URL.parse(sinkUrl);
  if (url === null) faults.push(`K_SINK: ${JSON.stringify(sinkUrl)} is no URL`);
  const extensions = sinkOverrides === undefined ? {} : extensionsIn(sinkOverrides, faults);
  if (authorities !== undefined && !isCertificate(authorities)) {
    faults.push('K_CA_CERTS: its value is no certificate in PEM');
  }
  if (url === null || faults.length > 0) {
    throw new MillraceError('MR_CONFIG_INVALID', { faults: faults.join('; ') });
  }
  return { url, extensions, ...(authorities === undefined ? {} : { authorities }) };
}

/** Other members than `extensions` are passed over, as the SDKs of Knative do. */
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

/** An event names its object by attributes; a function refuses one that says otherwise than its data. */
const reserved: ReadonlySet<string> = new Set([
  ...contextAttributes,
  ...Object.keys(dueExtensions),
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
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
