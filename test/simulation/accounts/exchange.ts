/** What one run of an item asks the API server for besides what it observes, and what it is told. */
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { observed } from '../world/observed-call.ts';

export interface Exchange {
  readonly verb: 'get' | 'create' | 'patch' | 'delete';
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  /** The object or the patch that was sent. */
  readonly body?: unknown;
  readonly options: Readonly<Record<string, unknown>>;
  /** What the clock of the process showed as it was sent, milliseconds since the epoch. */
  readonly sentMs: number;
  /** By the monotonic clock of the machine, milliseconds. */
  readonly askedAtMs: number;
  /** Its place among all that was sent and answered. */
  readonly sentAt: number;
  /** What the answer warned of. */
  readonly warnings: string[];
  /** Undefined: not answered yet. */
  end?: End;
}

export interface End {
  /** As `sentAt`. */
  readonly at: number;
  readonly error?: unknown;
  readonly object?: KubeObject | undefined;
}

type SentBy = 'sentMs' | 'sentAt' | 'askedAtMs';

export interface ExchangeBook {
  readonly sends: (exchange: Omit<Exchange, SentBy>) => Exchange;
  readonly hears: (exchange: Exchange, end: Omit<End, 'at'>) => void;
}

/** The client with everything that is asked of it entered in the book. */
export function enteredClient(client: KubeClient, book: ExchangeBook): KubeClient {
  const entered = <Answer extends KubeObject | undefined>(
    asked: Omit<Exchange, SentBy | 'warnings'>,
    send: (onWarning: (text: string) => void) => Promise<Answer>,
  ): Promise<Answer> => {
    const exchange = book.sends({ ...asked, warnings: [] });
    return observed(
      send((text) => exchange.warnings.push(text)),
      (object) => book.hears(exchange, { object }),
      (error) => book.hears(exchange, { error }),
    );
  };
  return {
    ...client,
    get: (resource, { namespace, name }, signal) =>
      entered({ verb: 'get', resource, namespace, name, options: {} }, () =>
        client.get(resource, { namespace, name }, signal),
      ),
    create: (resource, object, { onWarning, ...options } = {}) => {
      const { name, namespace = '' } = object.metadata;
      const asked = { verb: 'create', resource, namespace, name, body: object, options } as const;
      return entered(asked, (enter) =>
        client.create(resource, object, {
          ...options,
          onWarning: (text) => {
            enter(text);
            onWarning?.(text);
          },
        }),
      );
    },
    patch: (resource, { namespace, name }, body, options) =>
      entered({ verb: 'patch', resource, namespace, name, body, options: { ...options } }, () =>
        client.patch(resource, { namespace, name }, body, options),
      ),
    delete: (resource, { namespace, name }, options) =>
      entered({ verb: 'delete', resource, namespace, name, options: { ...options } }, () =>
        client.delete(resource, { namespace, name }, options),
      ),
  };
}
