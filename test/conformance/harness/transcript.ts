/** Everything that a script saw on one server, in order. */
import type { Json } from '#shared/domain/objects.ts';

export type Step =
  | {
      readonly kind: 'exchange';
      /** As `POST /api/v1/namespaces/<ns>/pods?dryRun=All`. */
      readonly asked: string;
      readonly code: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Json;
    }
  | { readonly kind: 'events'; readonly asked: string; readonly events: readonly Json[] }
  | { readonly kind: 'note'; readonly asked: string; readonly value: Json }
  | { readonly kind: 'failure'; readonly asked: string; readonly message: string };

export type Transcript = readonly Step[];
