/** Settings of the functions and admissions that a process hosts, from its environment. */
import Type, { type TObject } from 'typebox';
import { functions } from '#functions/list.ts';
import { omit } from '#shared/domain/omit.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import type { AdmissionProcess } from '#shared/runtime/admission/admission-process.ts';
import { admissionSettings } from '#shared/runtime/admission/admission-settings.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { type Environment, readConfiguration } from '#shared/runtime/process/configuration.ts';
import { policySetting } from '#shared/runtime/process/policy-setting.ts';

export interface Hosted {
  /** Configured by the environment. */
  readonly functions: readonly EventFunction[];
  /** Settings of each admission process, by its name. */
  readonly admissions: Readonly<Record<string, Settings>>;
}

type Settings = Readonly<Record<string, unknown>>;

const nothing: TObject = Type.Object({});

/** All functions of Millrace. Without webhooks no admissions, which are then not loaded. */
export async function hostedBy(
  { webhooks }: { readonly webhooks: boolean },
  environment: Environment,
): Promise<Hosted> {
  const { admissionProcesses } = webhooks
    ? await import('#functions/admissions.ts')
    : { admissionProcesses: [] };
  return readHosted(functions, admissionProcesses, environment);
}

/**
 * Reads only their own settings: settings common to all processes are options of the command. Throws
 * MR_CONFIG_INVALID, which names every fault, including unknown `MILLRACE_*` variables.
 */
export function readHosted(
  hosted: readonly EventFunction[],
  admissions: readonly AdmissionProcess[],
  environment: Environment,
): Hosted {
  const ofFunctions = hosted.map(({ configurable }) => configurable?.schema ?? nothing);
  const ofAdmissions = admissions.map(({ schema }) => ownPart(schema));
  // The launcher sets the name of the program. It is no setting.
  const others = omit(environment, 'MILLRACE_PROGRAM');
  const settings = readEach([...ofFunctions, ...ofAdmissions], others);
  return {
    functions: hosted.map((fn, index) => {
      const isSet = variablesOf(ofFunctions[index] ?? nothing).some(
        (name) => (ownMember(environment, name) ?? '') !== '',
      );
      // Functions keep their defaults, which are not recorded with each decision.
      return (isSet ? fn.configurable?.configuredBy(settings[index] ?? {}) : undefined) ?? fn;
    }),
    admissions: Object.fromEntries(
      admissions.map(({ name }, index) => [name, settings[hosted.length + index] ?? {}]),
    ),
  };
}

function ownPart({ properties }: TObject): TObject {
  const common = { ...admissionSettings, ...policySetting };
  const own = Object.entries(properties).filter(([name]) => !Object.hasOwn(common, name));
  return Type.Object(Object.fromEntries(own));
}

function variablesOf({ properties }: TObject): readonly string[] {
  return Object.values(properties).flatMap(
    (each) => (each as { env?: readonly string[] }).env ?? [],
  );
}

/** Reads all schemas at once, so that all faults are reported together. Two schemas may use the same name. */
function readEach(schemas: readonly TObject[], environment: Environment): readonly Settings[] {
  const properties = schemas.flatMap((schema, index) =>
    Object.entries(schema.properties).map(([name, each]) => [`${index}.${name}`, each] as const),
  );
  const values = Object.entries(
    readConfiguration(Type.Object(Object.fromEntries(properties)), environment),
  );
  return schemas.map((_, index) => {
    const prefix = `${index}.`;
    const own = values.filter(([key]) => key.startsWith(prefix));
    return Object.fromEntries(own.map(([key, value]) => [key.slice(prefix.length), value]));
  });
}
