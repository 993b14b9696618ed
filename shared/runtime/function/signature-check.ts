import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '#shared/domain/clock.ts';
import { hasCode } from '#shared/domain/errors.ts';
import {
  readClaim,
  requireSameId,
  requireSignature,
  type DeliveryClaim,
} from '#shared/events/delivery-signature.ts';
import type { DeliveryKeys } from './delivery-keys.ts';
import type { HttpMetrics } from '../http/http-metrics.ts';

export interface SignatureCheckOptions {
  readonly keys: DeliveryKeys;
  readonly clock: Clock;
  readonly metrics: HttpMetrics;
}

/** Checks deliveries in two steps and counts those that it refuses with MR_DELIVERY_UNAUTHENTICATED. */
export class SignatureCheck {
  readonly #options: SignatureCheckOptions;

  constructor(options: SignatureCheckOptions) {
    this.#options = options;
  }

  /** Before the body: a request without a signature is not read. */
  claimOf(headers: IncomingHttpHeaders): DeliveryClaim {
    return this.#counted(() => readClaim(headers, this.#options.clock.now()));
  }

  /** After the body and before any effect. */
  prove(claim: DeliveryClaim, body: Uint8Array): void {
    this.#counted(() => requireSignature(this.#options.keys.current(), claim, body));
  }

  proveId(claim: DeliveryClaim, eventId: string): void {
    this.#counted(() => requireSameId(claim, eventId));
  }

  #counted<Result>(check: () => Result): Result {
    try {
      return check();
    } catch (error) {
      if (hasCode(error, 'MR_DELIVERY_UNAUTHENTICATED')) {
        this.#options.metrics.unauthenticated.inc({ reason: String(error.fields['reason']) });
      }
      throw error;
    }
  }
}
