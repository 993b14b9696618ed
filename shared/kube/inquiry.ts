/** Questions to the cluster that change nothing: no request is stored. */
import { MillraceError } from '#shared/domain/errors.ts';
import type { KubeObject, NewObject, Resource } from '#shared/domain/objects.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { askAccess, type AccessAnswer, type AccessQuestion } from './access-review.ts';
import type { KubeClient } from './client.ts';
import { rejectionOf } from './rejection-of.ts';
import { isTaken } from './is-taken.ts';
import { withoutQuotedValues } from './quoted-values.ts';
import type { Reader } from './reader.ts';

export interface Inquiry {
  readonly reader: Reader;
  /** Throws MR_API_* if there is no answer. */
  access(question: AccessQuestion, signal?: AbortSignal): Promise<AccessAnswer>;
  /**
   * The resource of a kind. Undefined: the API server does not serve it. Throws MR_API_* if there is no
   * answer.
   */
  resourceOf(
    kind: Pick<KubeObject, 'apiVersion' | 'kind'>,
    signal?: AbortSignal,
  ): Promise<Resource | undefined>;
  /**
   * The API server's answer to a create, as a dry run. Throws MR_API_* for errors that are not about the
   * object.
   */
  tryCreate(resource: Resource, object: NewObject, signal?: AbortSignal): Promise<Trial>;
}

/** The predicted result of a create. */
export interface Trial {
  /** Absent: it would be stored. */
  readonly rejection?: Pick<Rejection, 'code' | 'message'>;
  readonly warnings: readonly string[];
  /** It would be stored if the name were free. */
  readonly isTaken?: true;
}

export function clusterInquiry(
  client: Pick<KubeClient, 'create' | 'discover' | 'review'>,
  reader: Reader,
): Inquiry {
  return {
    reader,
    resourceOf: async ({ apiVersion, kind }, signal) =>
      (await client.discover(apiVersion, signal))?.find((resource) => resource.kind === kind),
    access: (question, signal) => askAccess(client, question, signal),
    tryCreate: (resource, object, signal) => tryCreate(client, resource, object, signal),
  };
}

async function tryCreate(
  client: Pick<KubeClient, 'create'>,
  resource: Resource,
  object: NewObject,
  signal: AbortSignal | undefined,
): Promise<Trial> {
  const warnings: string[] = [];
  const onWarning = (text: string): void => void warnings.push(text);
  const waiting = signal === undefined ? {} : { signal };
  try {
    await withoutQuotedValues(object, () =>
      client.create(resource, object, { dryRun: true, onWarning, ...waiting }),
    );
    return { warnings };
  } catch (error) {
    // The object itself was judged before this error (apiserver registry/generic Store.Create).
    if (isTaken(error)) return { warnings, isTaken: true };
    const rejection =
      error instanceof MillraceError ? rejectionOf(object.metadata.name, error) : undefined;
    if (rejection === undefined) throw error;
    const { code, message } = rejection;
    return { rejection: { code, message }, warnings };
  }
}
